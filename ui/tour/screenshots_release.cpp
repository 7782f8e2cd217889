// SPDX-License-Identifier: MIT
// The release page and the recording of what is seen, in the tour. The releases are real ones, made by core
// in a folder that goes away.
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QLineEdit>
#include <QTabWidget>
#include <QTextBrowser>
#include <filesystem>

#include "core/benchmark/utc_time.h"
#include "core/release/log.h"
#include "core/release/store.h"
#include "core/support/files.h"
#include "ui/picture/image_page.h"
#include "ui/release/release_commands.h"
#include "ui/release/release_page.h"
#include "ui/session/session.h"
#include "ui/support/paths.h"
#include "ui/tour/screenshots.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/theme.h"
#include "ui/window/main_window.h"
#include "ui/window/picture_recorder.h"
#include "ui/window/record_job.h"

namespace workbench {
namespace {

namespace fs = std::filesystem;

const std::string releaseCommit = "7ec41d98a5b0c3f2e1d4a6b7c8d9e0f1a2b3c4d5";

std::string testReport(int run, const QString& failed = {}) {
    QString cases;
    for (const auto& name : {QStringLiteral("plan.refuses_bad_shapes"), QStringLiteral("plan.keeps_strides"),
                             QStringLiteral("filter.mirror_border")}) {
        cases += QStringLiteral("<testcase name=\"%1\" status=\"run\">%2</testcase>")
                     .arg(name, name == failed ? QStringLiteral("<failure/>") : QString());
    }
    return QStringLiteral("<testsuite name=\"run %1\" tests=\"3\">%2</testsuite>\n")
        .arg(run)
        .arg(cases)
        .toStdString();
}

// A release in a folder, with keys of its own for each role.
class MadeRelease {
  public:
    MadeRelease(const fs::path& folder, const std::string& id, Stage stage)
        : m_folder(folder), m_directory(folder / "release_records" / id) {
        fs::create_directories(m_directory.parent_path());
        NewRelease release{.id = id, .stage = stage, .commit = releaseCommit, .holders = {}};
        for (const auto role : release_roles) {
            const auto key = SigningKey::generate();
            if (!key) continue;
            release.holders[std::string(role)] = key->public_key();
            m_keys.emplace(std::string(role), *key);
        }
        keep(new_release(m_directory.parent_path(), release));
    }
    const fs::path& directory() const { return m_directory; }
    const std::string& problem() const { return m_problem; }

    void add(const std::string& kind, const std::string& name, const std::string& content) {
        keep(write_file_atomically(m_folder / name, content));
        keep(attach(m_directory, kind, m_folder / name, "", releaseCommit));
    }
    void waive(const std::string& scope, const std::string& risk, int days) {
        const auto day = std::chrono::system_clock::now() + std::chrono::days(days);
        keep(workbench::waive(m_directory, {scope, risk, "R. Iskowner", utc_text(day).substr(0, 10), ""}));
    }
    void sign(const std::string& role, const std::string& person) {
        const auto release = load_release(m_directory);
        if (release) keep(sign_off(m_directory, role, person, m_keys.at(role), release->state.seen()));
    }
    // As a log of some weeks ago has it: the day of its waiver has passed.
    void addOldWaiver() {
        auto text = load_log_text(m_directory);
        if (!text) return;
        const auto log = parse_log(*text);
        if (!log) return;
        *text += log_line(
            *log, utc_text(std::chrono::system_clock::now() - std::chrono::days(20)),
            {{"type", "waive"},
             {"scope", "B.rebuild"},
             {"risk", "two builders give two hashes"},
             {"owner", "R. Iskowner"},
             {"expires", utc_text(std::chrono::system_clock::now() - std::chrono::days(9)).substr(0, 10)}});
        keep(write_file_atomically(m_directory / "log.jsonl", *text));
        if (const auto state = load_state(m_directory)) keep(write_derived_files(m_directory, *state));
    }

  private:
    template <class T>
    void keep(const Result<T>& done) {
        if (!done && m_problem.empty()) m_problem = done.error().message;
    }
    fs::path m_folder;
    fs::path m_directory;
    std::map<std::string, SigningKey> m_keys;
    std::string m_problem;
};

}  // namespace

bool ScreenshotTour::openRelease(const QString& directory) {
    ReleasePage& page = m_window.releasePage();
    page.openDirectory(directory);
    return waitFor(QStringLiteral("the release to be read"),
                   [&] { return !page.isBusy() && page.snapshot() != nullptr; });
}

void ScreenshotTour::releaseDialogs() {
    ReleasePage& page = m_window.releasePage();
    const auto shootDialog = [&](const QString& name, const std::function<void(QDialog&)>& fill) {
        QDialog* dialog = nullptr;
        for (QDialog* one : page.findChildren<QDialog*>()) dialog = one->isVisible() ? one : dialog;
        if (!dialog) {
            m_problems << QStringLiteral("no dialog for %1").arg(name);
            return;
        }
        fill(*dialog);
        shoot(name, dialog);
        dialog->close();
        settle();
    };
    const auto type = [](QDialog& dialog, const char* name, const QString& what) {
        if (auto* edit = dialog.findChild<QLineEdit*>(QLatin1String(name))) edit->setText(what);
    };
    for (const auto& [theme, name] : {std::pair{Theme::light, QStringLiteral("74-release-sign-off-light")},
                                      std::pair{Theme::dark, QStringLiteral("74-release-sign-off")}}) {
        applyTheme(*qApp, theme);
        page.commands().signOffRole(QStringLiteral("qa-engineer"));
        shootDialog(name, [&](QDialog& d) {
            type(d, "person", QStringLiteral("Q. A. Engineer"));
            auto* report = d.findChild<QTextBrowser*>();
            if (theme == Theme::light && report) report->moveCursor(QTextCursor::End);
        });
    }
    page.commands().attachEvidence(QStringLiteral("parity-report"),
                                   QDir::home().filePath(QStringLiteral("parity.json")));
    shootDialog(QStringLiteral("75-release-attach"), [](QDialog&) {});
    page.commands().waiveRequirement(QStringLiteral("issue:17"));
    shootDialog(QStringLiteral("76-release-waive"), [](QDialog&) {});
    page.commands().beginRelease();
    shootDialog(QStringLiteral("77-release-new"), [&](QDialog& d) { type(d, "id", QStringLiteral("v1.3")); });
}

void ScreenshotTour::release() {
    m_window.setPage(MainWindow::Page::release);
    ReleasePage& page = m_window.releasePage();
    if (!page.snapshot()) shoot(QStringLiteral("70-release-none"));
    const fs::path at(m_folder.path().toStdU16String());
    MadeRelease made(at, "v1.2-rc1", Stage::rc);
    made.addOldWaiver();
    made.add("test-report", "tests-1.xml", testReport(1));
    made.add("test-report", "tests-2.xml", testReport(2));
    made.add("c-api-report", "c-api.xml", testReport(3, QStringLiteral("plan.keeps_strides")));
    made.add("parity-report", "parity.json", R"({"cases": [{"case": "filter:1", "passed": true}]})");
    made.add("issues", "issues.json",
             R"({"issues": [{"id": "17", "priority": "P1", "open": true, "title": "odd sizes are slow"},
                            {"id": "21", "priority": "P1", "open": true, "title": "a tool tip is wrong"}]})");
    made.waive("issue:17", "images of odd sizes take longer", 12);
    made.waive("A.c-api", "one status is another than documented", 0);
    made.sign("kernel-engineer", "K. Ernel");
    made.add("notices", "NOTICES", "the notices of others");
    made.sign("platform-engineer", "P. Latform");
    if (openRelease(fromPath(made.directory()))) {
        shoot(QStringLiteral("71-release-board"));
        page.tabs().setCurrentIndex(1);
        shoot(QStringLiteral("72-release-waivers"));
        page.tabs().setCurrentIndex(2);
        shoot(QStringLiteral("73-release-sign-offs"));
        releaseDialogs();
        page.tabs().setCurrentIndex(0);
        // Somebody else attaches something, and somebody alters a file.
        made.add("licence", "LICENSE", "MIT");
        waitFor(QStringLiteral("the change on disk to be noticed"),
                [&] { return page.messages().has(QStringLiteral("disk")) && !page.isBusy(); });
        if (!write_file_atomically(made.directory() / "evidence" / "parity.json", "{}"))
            m_problems << QStringLiteral("could not alter the evidence");
        waitFor(QStringLiteral("the altered file to be noticed"), [&] {
            return !page.isBusy() && page.snapshot()->evidence[3].state == EvidenceState::changed;
        });
        shoot(QStringLiteral("78-release-changed-on-disk"));
    }
    MadeRelease complete(at, "v1.1-dev", Stage::dev);
    complete.add("test-report", "tests-3.xml", testReport(4));
    complete.add("c-api-report", "c-api-2.xml", testReport(5));
    complete.add("parity-report", "parity-2.json", R"({"cases": [{"case": "filter:1", "passed": true}]})");
    complete.add("issues", "issues-2.json", R"({"issues": []})");
    for (const MadeRelease* one : {&made, &complete}) {
        if (!one->problem().empty())
            m_problems << QStringLiteral("a release could not be made: %1")
                              .arg(QString::fromStdString(one->problem()));
    }
    if (openRelease(fromPath(complete.directory()))) {
        shoot(QStringLiteral("79-release-may-be-promoted"));
        page.model().exportTo(m_folder.filePath(QStringLiteral("v1.1-dev.tar.gz")));
        waitFor(QStringLiteral("the export"), [&] { return !page.isBusy(); });
        shoot(QStringLiteral("79-release-exported"));
    }
    page.messages().clear(QStringLiteral("release"));
    openRelease(fromPath(made.directory()));
    page.messages().clear(QStringLiteral("disk"));
}

void ScreenshotTour::recording() {
    Session& session = m_window.session();
    openAndWait(sample("astronaut.png"));
    session.resetRecipe(
        {.operations = {{.what = FilterOperation{.filter_id = 6, .parameters = {{"sigma", 6.0}}}}}});
    waitForExact();
    RecordJob& job = m_window.recorder().job();
    job.start();
    waitFor(QStringLiteral("the recording to show"), [&] {
        const auto shown = m_window.imagePage().findChildren<QWidget*>(QStringLiteral("recordBar"));
        return !job.isMeasuring() || (!shown.isEmpty() && shown.front()->isVisible());
    });
    if (job.isMeasuring()) shoot(QStringLiteral("27-recording"));
    waitFor(
        QStringLiteral("the recording"), [&] { return !job.isMeasuring(); }, 120000);
    shoot(QStringLiteral("28-recorded-not-written"));
    job.writeInto(m_folder.path());
    waitFor(QStringLiteral("the record"), [&] { return !job.isWriting() && !job.record(); });
    shoot(QStringLiteral("29-record-written"));
    m_window.imagePage().messages().clear(QStringLiteral("record"));
}

}  // namespace workbench
