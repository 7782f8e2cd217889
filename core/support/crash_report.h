// SPDX-License-Identifier: MIT
// The report of a crash: written while the program dies, read by its next start. Nothing is sent anywhere.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace workbench {

struct CrashReportPlan {
    std::filesystem::path folder;  // made when there is something to write
    std::string heading;           // the report's first lines: program, version, build
};

// Arranges that SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL and std::terminate write FOLDER/crash-UTC.txt before
// the program ends as it would have: `heading`, the signal, the last lines of the event log, the stack's
// addresses by module, and the modules. The folder's name may have 400 bytes, the heading 2000. Returns false
// where the system has no such signals (Windows), where a sanitizer wants them, or when the names are too
// long.
//
// In the handler nothing is allocated and no lock is taken. A stack that overflows is reported for the thread
// that called this; another thread that overflows its stack ends the program without a report.
bool report_crashes(const CrashReportPlan& plan);

// Takes the modules that were loaded since. They are known by the last call of this or of report_crashes().
void note_modules();

// Returns the reports that nobody was shown yet, the newest first, and marks them as shown by their names
// (crash-UTC-shown.txt), so that each is returned once, to one program. Removes those shown long ago: the ten
// newest stay.
std::vector<std::filesystem::path> claim_crash_reports(const std::filesystem::path& folder);

}  // namespace workbench
