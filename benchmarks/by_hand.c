/* Four games for two as plain C, by the stream of numbers that the engines have: what machine code is measured against.
   Scores and wins are counted, as a simulation would. Says how many processor seconds it took, and what came of it: the
   games won by the first, by the second and by both, and the sum of each one's points. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const uint64_t GAMMA = 0x9E3779B97F4A7C15ull;
static uint64_t position;
enum { LEAST = -128 };
static long wins[3], scores[2][256];

static inline uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

static inline int below(int limit) {
    position += GAMMA;
    return (int)(((mix(position) >> 32) * (uint64_t)limit) >> 32);
}

static void count(const int points[2], int winner) {
    wins[winner]++;
    scores[0][points[0] - LEAST]++;
    scores[1][points[1] - LEAST]++;
}

static int higher(const int points[2]) { return points[0] > points[1] ? 0 : points[0] < points[1] ? 1 : 2; }

/* ---- Pig ---- */

static void pig(void) {
    int points[2] = {0, 0};
    for (int mover = 0;; mover ^= 1) {
        int turn = 0;
        while (points[mover] + turn < 100) {
            if (below(turn > 0 ? 2 : 1)) break;
            int pips = 1 + below(6);
            if (pips == 1) { turn = 0; break; }
            turn += pips;
        }
        points[mover] += turn;
        if (points[mover] >= 100) break;
    }
    count(points, higher(points));
}

/* ---- Chipbanditen Junior ---- */

static void junior(void) {
    int middle[12] = {1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6}, there = 12, points[2] = {0, 0};
    for (int mover = 0; there; mover ^= 1) {
        int wanted = there < 2 ? there : 2, drawn[2], left[2], back = 0;
        if (there > 2) {
            int first = below(there), second = 1 + below(there - 1);
            if (second == first) second = 0;
            int low = first < second ? first : second, high = first < second ? second : first;
            drawn[0] = middle[low];
            drawn[1] = middle[high];
            memmove(middle + high, middle + high + 1, (size_t)(there - high - 1) * sizeof *middle);
            memmove(middle + low, middle + low + 1, (size_t)(there - low - 2) * sizeof *middle);
        } else {
            drawn[0] = middle[0];
            drawn[wanted - 1] = middle[wanted - 1];
        }
        there -= wanted;
        for (int i = 0; i < wanted; i++) {
            if (below(2)) left[back++] = drawn[i];
            else points[mover] += drawn[i];
        }
        while (back) {
            int number = left[--back], place = there++;
            for (; place && middle[place - 1] > number; place--) middle[place] = middle[place - 1];
            middle[place] = number;
        }
    }
    count(points, higher(points));
}

/* ---- Thirty ---- */

/* Takes a set out of so many dice, counted by their pips: sets come by size, and in each size the low pips first. */
static int keep(const int dice[6], int left, int *kept) {
    int ways[7][7] = {{0}};
    ways[6][0] = 1;
    for (int face = 5; face >= 0; face--)
        for (int wanted = 0; wanted <= left; wanted++)
            for (int taken = 0; taken <= dice[face] && taken <= wanted; taken++)
                ways[face][wanted] += ways[face + 1][wanted - taken];
    int all = 0, wanted = 1, eyes = 0;
    for (int size = 1; size <= left; size++) all += ways[0][size];
    int number = below(all);
    while (number >= ways[0][wanted]) number -= ways[0][wanted++];
    *kept = wanted;
    for (int face = 0; wanted; face++) {
        int taken = dice[face] < wanted ? dice[face] : wanted;
        for (; number >= ways[face + 1][wanted - taken]; taken--) number -= ways[face + 1][wanted - taken];
        eyes += taken * (face + 1);
        wanted -= taken;
    }
    return eyes;
}

static void thirty(void) {
    int points[2] = {30, 30};
    for (int mover = 0;; mover ^= 1) {
        int eyes = 0;
        for (int left = 6, kept; left; left -= kept) {
            int dice[6] = {0};
            for (int die = 0; die < left; die++) dice[below(6)]++;
            eyes += keep(dice, left, &kept);
        }
        if (eyes < 30) points[mover] -= 30 - eyes;
        if (eyes > 30) {
            int left = 6;
            while (left) {
                int found = 0;
                for (int die = 0; die < left; die++) found += below(6) + 1 == eyes - 30;
                if (!found) break;
                left -= 1 + below(found);
            }
            points[!mover] -= (eyes - 30) * (6 - left);
        }
        if (points[mover] < 0) {
            count(points, !mover);
            return;
        }
    }
}

/* ---- Nacho Pile ---- */

enum { WILD = 7, STEAL = 8, POINTS = 9, TYPES = 11, SPICY = 7 };
/* Chips by type (1 to 7, wild, and three spicy ones); those in rows also by category (1 to 7, and all spicy ones). */
static int bag[TYPES], in_bag, row[2][TYPES], in_row[2][8], plate[2][TYPES], on_plate[2], given[6];
static unsigned wild_bag, wild_row[2], wild_plate[2]; /* which wild chips */

static void clear_row(int player, int chips[TYPES], int *size, unsigned *wild) {
    for (int type = 0; type < TYPES; type++) {
        chips[type] += row[player][type];
        *size += row[player][type];
        row[player][type] = 0;
    }
    *wild |= wild_row[player];
    wild_row[player] = 0;
    memset(in_row[player], 0, sizeof in_row[player]);
}

/* The type of a chip on a plate, one of each type to choose from. */
static int one_of(const int chips[TYPES]) {
    int types = 0, type = 0;
    for (int each = 0; each < TYPES; each++) types += chips[each] > 0;
    for (int number = below(types);; type++)
        if (chips[type] && !number--) return type;
}

/* Keeps a number safe; false where there is none. */
static int save(int me, int *saved) {
    int order[13], size = 0;
    unsigned seen = 0;
    for (int n = 0; n < 7; n++)
        if (row[me][n]) {
            order[size++] = n;
            seen |= 1u << n;
        }
    for (unsigned left = wild_row[me]; left; left &= left - 1) {
        int n = given[__builtin_ctz(left)];
        if (!(seen & 1u << n)) order[size++] = n;
        seen |= 1u << n;
    }
    if (!size) return 0;
    int n = *saved = order[below(size)];
    plate[me][n] += row[me][n];
    row[me][n] = 0;
    on_plate[me] += in_row[me][n];
    in_row[me][n] = 0;
    for (unsigned left = wild_row[me]; left; left &= left - 1)
        if (given[__builtin_ctz(left)] == n) {
            unsigned wild = left & -left;
            wild_row[me] ^= wild;
            wild_plate[me] |= wild;
            row[me][WILD]--;
            plate[me][WILD]++;
        }
    return 1;
}

/* Draws chips; what is left lies in the row. */
static void draw_chips(int me) {
    int other = !me, size = 0, saved = -1;
    while (in_bag > 1) {
        if (below(size ? 2 : 1)) return;
        int type = 0, same = 0;
        if (in_bag <= 6)
            for (int each = 0; each < TYPES; each++) same |= bag[each] == in_bag;
        for (int number = same ? 0 : below(in_bag); number >= bag[type]; type++) number -= bag[type];
        bag[type]--;
        in_bag--;
        row[me][type]++;
        size++;
        int category = type < WILD ? type : type > WILD ? SPICY : -1;
        if (type == WILD) {
            unsigned wild = wild_bag & -wild_bag;
            int open[7], numbers = 0;
            wild_bag ^= wild;
            wild_row[me] |= wild;
            for (int n = 0; n < 7; n++)
                if (!in_row[me][n] && n != saved) open[numbers++] = n;
            if (numbers) category = given[__builtin_ctz(wild)] = open[below(numbers)];
        }
        if (category < 0 || in_row[me][category]++ || category == saved) {
            clear_row(me, bag, &in_bag, &wild_bag);
            return;
        }
        if (category != SPICY) continue;
        below(1);
        if (type == POINTS) {
            if (save(me, &saved)) size--;
        } else if (on_plate[other]) {
            int taken = one_of(plate[other]);
            unsigned wild = taken == WILD ? wild_plate[other] & -wild_plate[other] : 0;
            plate[other][taken]--;
            on_plate[other]--;
            wild_plate[other] ^= wild;
            if (type == STEAL) {
                plate[me][taken]++;
                on_plate[me]++;
                wild_plate[me] |= wild;
            } else {
                bag[taken]++;
                in_bag++;
                wild_bag |= wild;
            }
        }
    }
}

static void steal_row(int me) {
    int other = !me;
    for (int n = 0; n < 8; n++) {
        if (!in_row[me][n]) continue;
        in_row[me][n] += in_row[other][n];
        in_row[other][n] = 0;
        for (int type = n < SPICY ? n : STEAL; type < (n < SPICY ? n + 1 : TYPES); type++) {
            row[me][type] += row[other][type];
            row[other][type] = 0;
        }
    }
    for (unsigned left = wild_row[other]; left; left &= left - 1)
        if (in_row[me][given[__builtin_ctz(left)]]) {
            unsigned wild = left & -left;
            wild_row[other] ^= wild;
            wild_row[me] |= wild;
            row[other][WILD]--;
            row[me][WILD]++;
        }
}

static void nacho_pile(void) {
    static const int full[TYPES] = {6, 6, 6, 6, 6, 6, 6, 6, 2, 2, 2};
    memcpy(bag, full, sizeof bag);
    memset(row, 0, sizeof row);
    memset(in_row, 0, sizeof in_row);
    memset(plate, 0, sizeof plate);
    in_bag = 54;
    wild_bag = 63;
    on_plate[0] = on_plate[1] = 0;
    wild_row[0] = wild_row[1] = wild_plate[0] = wild_plate[1] = 0;
    int mover = 0, points[2] = {0, 0}, held[2][8] = {{0}};
    for (;; mover ^= 1) {
        clear_row(mover, plate[mover], &on_plate[mover], &wild_plate[mover]);
        draw_chips(mover);
        steal_row(mover);
        if (in_bag == 1) break;
    }
    for (int player = 0; player < 2; player++)
        clear_row(player, plate[player], &on_plate[player], &wild_plate[player]);
    for (int turn = 0; turn < 2; turn++) {
        int player = mover ^ turn;
        for (int type = 0; type < TYPES; type++) {
            if (type < WILD) held[player][type] += plate[player][type];
            if (type > WILD) held[player][SPICY] += plate[player][type];
        }
        for (int wild = 0; wild < plate[player][WILD]; wild++) held[player][below(7)]++;
    }
    for (int n = 0; n < 8; n++) {
        points[0] += held[0][n] > 0 && held[0][n] >= held[1][n];
        points[1] += held[1][n] > 0 && held[1][n] >= held[0][n];
    }
    count(points, higher(points));
}

/* ---- all ---- */

static const struct { const char *name; void (*play)(void); } GAMES[] = {
    {"pig", pig}, {"junior", junior}, {"thirty", thirty}, {"nacho_pile", nacho_pile},
};

int main(int argc, char **argv) {
    void (*play)(void) = NULL;
    for (size_t each = 0; each < sizeof GAMES / sizeof *GAMES; each++)
        if (argc == 4 && !strcmp(argv[1], GAMES[each].name)) play = GAMES[each].play;
    if (!play) return 2;
    long games = atol(argv[2]);
    uint64_t seed = mix((uint64_t)atoll(argv[3]) + GAMMA);
    clock_t begun = clock();
    for (long game = 0; game < games; game++) {
        position = mix(seed + (uint64_t)(game + 1) * GAMMA);
        play();
    }
    double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    long sums[2] = {0, 0};
    for (int place = 0; place < 256; place++)
        for (int seat = 0; seat < 2; seat++) sums[seat] += scores[seat][place] * (place + LEAST);
    printf("%.6f %ld %ld %ld %ld %ld\n", seconds, wins[0], wins[1], wins[2], sums[0], sums[1]);
    return 0;
}
