// SPDX-License-Identifier: MIT
// Starts a program of Windows on the first processor alone. usage: affinity.exe PROGRAM ARGUMENT...
#include <process.h>
#include <windows.h>

int main(int argc, char** argv) {
    if (argc < 2 || !SetProcessAffinityMask(GetCurrentProcess(), 1)) return 100;
    const intptr_t code = _spawnv(_P_WAIT, argv[1], (const char* const*)(argv + 1));
    return code < 0 ? 101 : (int)code;
}
