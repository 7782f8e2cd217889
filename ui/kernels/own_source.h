// SPDX-License-Identifier: MIT
// A source of one's own: opened, pasted or typed, compiled again after each change, the newest alone. Knows
// no widget.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <filesystem>
#include <memory>
#include <optional>

#include "core/inspect/language.h"
#include "core/inspect/source_kernels.h"
#include "ui/kernels/shown_kernel.h"
#include "ui/session/job.h"

namespace workbench {

// Compiles the person's own source. All members are called in the GUI thread.
class OwnSource : public QObject {
    Q_OBJECT
  public:
    explicit OwnSource(ShownKernelModel& shown, QObject* parent = nullptr);
    ~OwnSource() override;

    const QString& text() const { return m_text; }
    const QString& file() const { return m_file; }  // empty: none was opened
    // Takes what was typed; it is compiled when typing pauses.
    void setText(const QString& text);
    // Reads a file in the background; opened() or failed() follows.
    void open(const QString& file);
    // Takes a source that is in no file, by a name.
    void setSource(const QString& name, const QString& text);

    // Sets whether the page shows what is compiled of the source. The first time it looks for the compilers
    // and compiles.
    void setShown(bool on);
    QStringList targets() const;  // those that are there
    const QString& target() const { return m_target; }
    void setTarget(const QString& target);
    bool isCompiling() const { return m_compiling.isRunning() || m_pause.isActive(); }

    // Returns what the newest text was compiled to; null: nothing was, or it has an error.
    const std::optional<inspect::CompiledSource>& compiled() const { return m_compiled; }
    const QString& problem() const { return m_problem; }  // why it does not compile; empty: it does
    int problemLine() const { return m_problemLine; }     // 0: not known
    const QString& kernel() const { return m_kernel; }    // the symbol that is chosen
    void chooseKernel(const QString& symbol);
    // Returns the `iir2d synth extract` that prints the same text; empty: the source is in no file.
    QString commandLine() const;
    // Return the folders in which includes are searched for after the file's own, and the definitions:
    // "NAME", "NAME=VALUE".
    const QStringList& includeFolders() const { return m_includeFolders; }
    const QStringList& definitions() const { return m_definitions; }
    void setOptions(const QStringList& includeFolders, const QStringList& definitions);

    // Returns whether the chosen kernel is inside the kernel language, with its backward kernel and the
    // levels that it passed; null: not known yet, or it could not be found out.
    const std::shared_ptr<const inspect::LanguageCheck>& check() const { return m_check; }
    int verifiedTargets() const;
    // Returns why it could not be found out whether the kernel is right; empty: it could.
    const QString& checkProblem() const { return m_checkProblem; }
    bool isChecking() const { return m_checking.isRunning(); }
    bool hasBackward() const;                         // one is known
    bool isBackward() const { return m_isBackward; }  // shows the backward kernel
    void setBackward(bool on);

    // Keeps what is typed in this file, and takes what an earlier window kept there, unless something was
    // typed or opened before.
    void keepIn(const std::filesystem::path& file);

  Q_SIGNALS:
    void opened();        // another text is there
    void stateChanged();  // compiling began or ended; what came of it is there
    void targetsChanged();
    void optionsChanged();
    void checkChanged();  // also whether it goes on, and whether the backward kernel is shown
    void failed(const QString& message);

  private:
    struct Made {
        inspect::CompiledSource source;
        std::vector<compile::TargetState> targets;
    };
    void compile();
    void verify();
    void showChosen();
    void showBackward();
    const inspect::SourceKernel* chosen() const;  // null: none
    QString levelsNote(const std::string& text) const;
    void keep();
    void take(Result<Made> made);

    ShownKernelModel& m_shown;
    std::shared_ptr<compile::Compiler> m_compiler;
    QString m_text;
    QString m_file;
    QString m_name;       // of a source that is in no file
    QString m_savedText;  // as the file has it
    QString m_target;
    QStringList m_targets;
    QString m_kernel;
    std::optional<inspect::CompiledSource> m_compiled;
    QString m_compiledText;
    QString m_problem;
    int m_problemLine = 0;
    QStringList m_includeFolders;
    QStringList m_definitions;
    std::shared_ptr<const inspect::LanguageCheck> m_check;
    QString m_checkProblem;  // why it is not known
    bool m_isBackward = false;
    std::filesystem::path m_keptIn;  // empty: nowhere
    bool m_begun = false;
    bool m_isShown = false;
    QTimer m_pause;
    Job m_opening;
    Job m_keeping;
    Job m_checking;
    Job m_compiling;  // last: it is joined before what its work delivers to goes
};

}  // namespace workbench
