"""An agent for any game: takes the last option, and a random one where there are more than two."""

import json
import sys

for line in sys.stdin:
    request = json.loads(line)
    count = len(request["options"])
    option = count - 1 if count <= 2 else request["random"] % count
    print(json.dumps({"option": option}), flush=True)
