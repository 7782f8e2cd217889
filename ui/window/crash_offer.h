// SPDX-License-Identifier: MIT
// Offers the reports of windows that crashed: to be shown, copied or deleted. Nothing is sent.
#pragma once

#include <QDialog>
#include <filesystem>

namespace workbench {

class MainWindow;

// Returns the folder "log" of the state folder.
std::filesystem::path crashReportFolder();

// Puts a message above the pages where there is a report that nobody was shown yet, once for each report.
void offerCrashReports(MainWindow& window, const std::filesystem::path& folder);

class CrashReportDialog : public QDialog {
    Q_OBJECT
  public:
    explicit CrashReportDialog(const std::filesystem::path& report, QWidget* parent = nullptr);
};

}  // namespace workbench
