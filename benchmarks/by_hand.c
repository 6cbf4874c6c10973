/* Two games as plain C, by the stream of numbers that the engines have: what machine code is measured against.
   Scores and wins are counted, as a simulation would. Says how many processor seconds it took. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const uint64_t GAMMA = 0x9E3779B97F4A7C15ull;
static uint64_t position;
static long wins[3], scores[2][256];

static inline uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

static inline uint32_t below(uint64_t limit) {
    position += GAMMA;
    return (uint32_t)(((mix(position) >> 32) * limit) >> 32);
}

static void count(const int points[2]) {
    wins[points[0] > points[1] ? 0 : points[0] < points[1] ? 1 : 2]++;
    scores[0][points[0]]++;
    scores[1][points[1]]++;
}

static void pig(void) {
    int points[2] = {0, 0};
    for (int mover = 0;; mover ^= 1) {
        int turn = 0;
        while (points[mover] + turn < 100) {
            if (below(turn > 0 ? 2 : 1)) break;
            int pips = 1 + (int)below(6);
            if (pips == 1) { turn = 0; break; }
            turn += pips;
        }
        points[mover] += turn;
        if (points[mover] >= 100) break;
    }
    count(points);
}

static void junior(void) {
    int middle[12] = {1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6}, there = 12, points[2] = {0, 0};
    for (int mover = 0; there; mover ^= 1) {
        int wanted = there < 2 ? there : 2, drawn[2];
        for (int i = 0; i < wanted; i++) {
            int other = i + (int)below((uint64_t)(there - i));
            int kept = middle[other];
            middle[other] = middle[i];
            drawn[i] = middle[i] = kept;
        }
        memmove(middle, middle + wanted, (size_t)(there - wanted) * sizeof *middle);
        there -= wanted;
        for (int i = 0; i < wanted; i++) {
            if (below(2)) middle[there++] = drawn[i];
            else points[mover] += drawn[i];
        }
    }
    count(points);
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    void (*play)(void) = strcmp(argv[1], "pig") ? junior : pig;
    long games = atol(argv[2]);
    uint64_t seed = mix((uint64_t)atoll(argv[3]) + GAMMA);
    clock_t begun = clock();
    for (long game = 0; game < games; game++) {
        position = mix(seed + (uint64_t)(game + 1) * GAMMA);
        play();
    }
    double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    fprintf(stderr, "%ld %ld %ld\n", wins[0], wins[1], wins[2]);
    printf("%.6f\n", seconds);
    return 0;
}
