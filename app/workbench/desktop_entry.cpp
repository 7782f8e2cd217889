// SPDX-License-Identifier: MIT
#include "app/workbench/desktop_entry.h"

#include <QProcess>
#include <QStandardPaths>
#include <cstdlib>
#include <filesystem>

#include "core/support/files.h"
#include "core/support/package.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_file = std::size_t{4} << 20;

std::string from_environment(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
    return value != nullptr ? value : "";
}

Result<fs::path> data_home() {
    const std::string chosen = from_environment("XDG_DATA_HOME");
    if (chosen.starts_with('/')) return fs::path(chosen);
    const std::string home = from_environment("HOME");
    if (home.starts_with('/')) return fs::path(home) / ".local/share";
    return fail(ErrorKind::bad_argument, "there is neither XDG_DATA_HOME nor HOME to write to");
}

// share/ of the tree that the program is in.
fs::path own_share() {
    return (resource_directory() / "..").lexically_normal();
}

// What starts this package: the AppImage, or the link at the top of the portable tree.
Result<fs::path> starter() {
    const std::string line = package_line("");
    const bool appimage = line.starts_with("package: appimage ");
    if (!appimage && !line.starts_with("package: portable ")) {
        return fail(
            ErrorKind::bad_argument,
            "--install-desktop and --remove-desktop are for the AppImage and the portable tree: this is \"" +
                package_line(library_version()) + "\"");
    }
    fs::path program =
        appimage ? fs::path(from_environment("APPIMAGE")) : own_share() / "../../iir2d-workbench";
    // An AppImage that was unpacked by hand has its link, too.
    if (appimage && program.empty()) program = own_share() / "../../iir2d-workbench";
    std::error_code error;
    program = program.lexically_normal();
    if (!program.is_absolute() || !fs::exists(program, error))
        return fail(ErrorKind::bad_argument, quoted(program) + ", which a desktop would start, is not there");
    return program;
}

// The files, relative to share/: whatever the tree has of them.
Result<std::vector<fs::path>> files_of(const fs::path& share) {
    std::vector<fs::path> files{fs::path("applications") / (IIR2D_APP_ID ".desktop"),
                                fs::path("mime/packages") / (IIR2D_APP_ID ".xml")};
    std::error_code error;
    for (const auto& entry : fs::recursive_directory_iterator(share / "icons/hicolor", error)) {
        const std::string folder = entry.path().parent_path().filename().string();
        if (entry.is_regular_file(error) && (folder == "apps" || folder == "mimetypes"))
            files.push_back(entry.path().lexically_relative(share));
    }
    if (error)
        return fail(ErrorKind::bad_input,
                    quoted(share / "icons/hicolor") + " cannot be read: " + error.message());
    return files;
}

// Before values of a desktop entry: backslashes are doubled.
std::string escaped(const std::string& text) {
    std::string all;
    for (const char c : text) all += c == '\\' ? std::string("\\\\") : std::string(1, c);
    return all;
}

std::string entry_for(const std::string& entry, const std::string& program) {
    std::string all;
    for (std::size_t at = 0; at < entry.size();) {
        const std::size_t end = std::min(entry.find('\n', at), entry.size());
        const std::string line = entry.substr(at, end - at);
        at = end + 1;
        if (line.starts_with("Exec=")) {
            all += "Exec=" + desktop_exec(program) + " %f\n";
        } else if (line.starts_with("TryExec=")) {
            all += "TryExec=" + escaped(program) + "\n";
        } else {
            all += line + "\n";
        }
    }
    return all;
}

// What desktops look things up in, where this one has the programs for it. They are the system's, and use its
// libraries.
void tell_desktop(const fs::path& home) {
    const std::pair<const char*, const char*> programs[] = {{"update-mime-database", "mime"},
                                                            {"update-desktop-database", "applications"}};
    for (const auto& [name, folder] : programs) {
        const QString found = QStandardPaths::findExecutable(QString::fromLatin1(name));
        if (found.isEmpty()) continue;
        QProcess program;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.remove(QStringLiteral("LD_LIBRARY_PATH"));
        program.setProcessEnvironment(environment);
        program.start(found, {QString::fromStdString((home / folder).string())});
        program.waitForFinished();
    }
}

}  // namespace

std::string desktop_exec(const std::string& program) {
    std::string argument = "\"";
    for (const char c : program) {
        if (c == '"' || c == '`' || c == '$' || c == '\\') argument += '\\';
        argument += c;
        if (c == '%') argument += '%';
    }
    return escaped(argument + "\"");
}

Result<std::vector<std::string>> install_desktop_entry() {
    IIR2D_TRY(const fs::path program, starter());
    IIR2D_TRY(const fs::path home, data_home());
    const fs::path share = own_share();
    IIR2D_TRY(const std::vector<fs::path> files, files_of(share));
    if (program.string().find_first_of("\n\r") != std::string::npos)
        return fail(ErrorKind::bad_argument,
                    quoted(program) + " has a line break in its name, which no desktop entry can have");
    std::vector<std::string> written;
    for (const fs::path& file : files) {
        IIR2D_TRY(std::string content, read_file(share / file, largest_file));
        if (file.extension() == ".desktop") content = entry_for(content, program.string());
        std::error_code error;
        fs::create_directories((home / file).parent_path(), error);
        IIR2D_RETURN_IF_ERROR(write_file_atomically(home / file, content));
        written.push_back((home / file).string());
    }
    tell_desktop(home);
    return written;
}

Result<std::vector<std::string>> remove_desktop_entry() {
    IIR2D_RETURN_IF_ERROR(starter());
    IIR2D_TRY(const fs::path home, data_home());
    IIR2D_TRY(const std::vector<fs::path> files, files_of(own_share()));
    std::vector<std::string> removed;
    for (const fs::path& file : files) {
        std::error_code error;
        if (fs::remove(home / file, error)) removed.push_back((home / file).string());
        if (error)
            return fail(ErrorKind::unwritable_output,
                        quoted(home / file) + " could not be removed: " + error.message());
    }
    tell_desktop(home);
    return removed;
}

}  // namespace workbench
