// SPDX-License-Identifier: MIT
#include "ui/kernels/own_source.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include "core/compile/extract.h"
#include "core/inspect/toolchain.h"
#include "core/support/files.h"
#include "core/support/shell.h"
#include "core/support/try.h"
#include "core/synth/adjoint.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

// So long nothing is typed before it is compiled.
constexpr std::chrono::milliseconds pauseOfTyping(350);

const char* const example = R"(// A kernel of your own: type, paste, or open a file.
extern "C" __global__ void saxpy(const float* x, float* y, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = a * x[i] + y[i];
}
)";

// What is typed, as a file keeps it.
struct KeptSource {
    QString file, name, text;
    QStringList includeFolders, definitions;
};

std::string asJson(const KeptSource& source) {
    const QJsonObject kept{
        {QStringLiteral("file"), source.file},
        {QStringLiteral("name"), source.name},
        {QStringLiteral("text"), source.text},
        {QStringLiteral("include_folders"), QJsonArray::fromStringList(source.includeFolders)},
        {QStringLiteral("definitions"), QJsonArray::fromStringList(source.definitions)}};
    return QJsonDocument(kept).toJson().toStdString();
}

std::optional<KeptSource> keptSource(const std::string& json) {
    const QJsonObject kept = QJsonDocument::fromJson(QByteArray::fromStdString(json)).object();
    if (!kept[QStringLiteral("text")].isString()) return std::nullopt;
    return KeptSource{.file = kept[QStringLiteral("file")].toString(),
                      .name = kept[QStringLiteral("name")].toString(),
                      .text = kept[QStringLiteral("text")].toString(),
                      .includeFolders = kept[QStringLiteral("include_folders")].toVariant().toStringList(),
                      .definitions = kept[QStringLiteral("definitions")].toVariant().toStringList()};
}

}  // namespace

OwnSource::OwnSource(ShownKernelModel& shown, QObject* parent)
    : QObject(parent),
      m_shown(shown),
      m_compiler(std::make_shared<compile::Compiler>()),
      m_text(toText(example)),
      m_opening(JobPolicy::newest_wins_at_once),
      m_keeping(JobPolicy::newest_next),
      m_checking(JobPolicy::newest_wins),
      m_compiling(JobPolicy::newest_wins) {
    m_pause.setSingleShot(true);
    m_pause.setInterval(pauseOfTyping);
    connect(&m_pause, &QTimer::timeout, this, &OwnSource::compile);
}

OwnSource::~OwnSource() = default;

void OwnSource::setText(const QString& text) {
    if (text == m_text) return;
    m_text = text;
    keep();
    if (!m_begun) return;
    m_pause.start();
    Q_EMIT stateChanged();
}

void OwnSource::open(const QString& file) {
    const QString absolute = QFileInfo(file).absoluteFilePath();
    m_opening.start(
        tr("Reading %1").arg(QFileInfo(file).fileName()),
        [path = toPath(absolute)](const JobControl&) { return read_file(path, compile::longest_source); },
        [this, absolute](const Result<std::string>& read) {
            if (!read) {
                Q_EMIT failed(toSentence(read.error().message));
                return;
            }
            m_file = absolute;
            m_name.clear();
            m_text = toText(*read).replace(QLatin1String("\r\n"), QLatin1String("\n"));
            m_savedText = m_text;
            m_kernel.clear();
            m_isBackward = false;
            keep();
            Q_EMIT opened();
            m_begun = true;
            compile();
        });
}

void OwnSource::setSource(const QString& name, const QString& text) {
    m_opening.abandon();
    m_file.clear();
    m_savedText.clear();
    m_name = name;
    m_text = text;
    m_kernel.clear();
    m_isBackward = false;
    m_compiled.reset();
    keep();
    Q_EMIT opened();
    m_begun = true;
    compile();
}

void OwnSource::setShown(bool on) {
    m_isShown = on;
    if (!on) return;
    showChosen();
    if (std::exchange(m_begun, true)) return;
    compile();
}

QStringList OwnSource::targets() const {
    return m_targets;
}

void OwnSource::setTarget(const QString& target) {
    if (target == m_target) return;
    m_target = target;
    if (m_begun) compile();
}

void OwnSource::compile() {
    m_pause.stop();
    inspect::SourceRequest request{
        .text = m_text.toStdString(),
        .file = m_file.isEmpty() ? "kernel.cu" : fromPath(toPath(m_file)).toStdString(),
        .target = m_target.toStdString()};
    for (const QString& folder : m_includeFolders) request.include_folders.push_back(toPath(folder).string());
    for (const QString& one : m_definitions) request.definitions.push_back(one.toStdString());
    m_checking.abandon();
    m_compiling.start(
        tr("Compiling"),
        [compiler = m_compiler, request](const JobControl& control) -> Result<Made> {
            Made made;
            IIR2D_TRY(made.targets, inspect::source_targets(*compiler, control.stop));
            IIR2D_TRY(made.source, inspect::compile_source(*compiler, request, control.stop));
            return made;
        },
        [this, text = m_text, file = request.file](Result<Made> made) {
            if (!made && made.error().kind == ErrorKind::cancelled) return;
            m_compiledText = text;
            m_problemLine = made ? 0 : inspect::line_of_message(made.error().message, file);
            take(std::move(made));
        });
    Q_EMIT stateChanged();
}

void OwnSource::take(Result<Made> made) {
    m_check.reset();
    m_checkProblem.clear();
    if (!made) {
        m_compiled.reset();
        m_isBackward = false;
        m_problem = toText(made.error().message);  // begins with the name of a file
        Q_EMIT stateChanged();
        return;
    }
    m_problem.clear();
    m_compiled = std::move(made->source);
    QStringList targets;
    for (const compile::TargetState& one : made->targets) {
        if (one.is_available) targets << toText(one.target);
    }
    const bool isKnown = std::ranges::any_of(m_compiled->kernels, [&](const inspect::SourceKernel& one) {
        return toText(one.symbol) == m_kernel;
    });
    if (!isKnown) m_kernel = toText(m_compiled->kernels.front().symbol);
    m_target = toText(m_compiled->target);
    if (targets != m_targets) {
        m_targets = targets;
        Q_EMIT targetsChanged();
    }
    Q_EMIT stateChanged();
    showChosen();
    verify();
}

void OwnSource::chooseKernel(const QString& symbol) {
    if (symbol == m_kernel) return;
    m_kernel = symbol;
    m_check.reset();
    m_checkProblem.clear();
    Q_EMIT stateChanged();
    showChosen();
    verify();
}

void OwnSource::setOptions(const QStringList& includeFolders, const QStringList& definitions) {
    if (includeFolders == m_includeFolders && definitions == m_definitions) return;
    m_includeFolders = includeFolders;
    m_definitions = definitions;
    keep();
    Q_EMIT optionsChanged();
    if (m_begun) compile();
}

bool OwnSource::hasBackward() const {
    return m_check && !m_check->backward_source.empty();
}

void OwnSource::setBackward(bool on) {
    if (on == m_isBackward || (on && !hasBackward())) return;
    m_isBackward = on;
    Q_EMIT checkChanged();
    showChosen();
}

const inspect::SourceKernel* OwnSource::chosen() const {
    if (!m_compiled) return nullptr;
    const auto found = std::ranges::find_if(m_compiled->kernels, [&](const inspect::SourceKernel& one) {
        return toText(one.symbol) == m_kernel;
    });
    return found == m_compiled->kernels.end() ? nullptr : &*found;
}

// Asks whether the chosen kernel is inside the kernel language; if so, compiles it and its backward kernel
// for the chosen target and the host, and runs them as those of data sets are.
void OwnSource::verify() {
    const inspect::SourceKernel* const kernel = chosen();
    if (kernel == nullptr) return;
    const std::string name = kernel->name.substr(0, kernel->name.find('('));
    m_checking.start(
        tr("Verifying %1").arg(toText(name)),
        [source = m_compiledText.toStdString(), name, target = m_target.toStdString()](
            const JobControl& control) -> Result<std::shared_ptr<const inspect::LanguageCheck>> {
            IIR2D_TRY(inspect::ChosenTargets targets, inspect::choose_targets({target}, control.stop));
            for (const char* host : {"llvm-host-o0", "llvm-host-o2"}) {
                const auto there = std::ranges::find(targets.states, host, &compile::TargetState::target);
                if (there != targets.states.end() && there->is_available)
                    targets.targets.push_back(inspect::data_set_target(*there));
            }
            const TimeLimit limit{control.stop, TimeLimit::Clock::now() + compile::patience_of_extract};
            IIR2D_TRY(const auto toolchain, inspect::make_toolchain(limit));
            auto made = inspect::check_language(source, name, targets.targets, *toolchain, limit);
            if (!made && limit.is_late()) return fail(ErrorKind::bad_input, compile::late_sentence());
            if (!made) return std::unexpected(made.error());
            return std::make_shared<const inspect::LanguageCheck>(*std::move(made));
        },
        [this](const Result<std::shared_ptr<const inspect::LanguageCheck>>& made) {
            if (!made && made.error().kind == ErrorKind::cancelled) return;
            if (made)
                m_check = *made;
            else
                m_checkProblem = toText(made.error().message);
            if (!hasBackward()) m_isBackward = false;
            Q_EMIT checkChanged();
            showChosen();
        });
    Q_EMIT checkChanged();
}

int OwnSource::verifiedTargets() const {
    std::set<std::string> targets;
    if (m_check) {
        for (const inspect::RecordLevel& one : m_check->levels) {
            if (one.level != "V0") targets.insert(one.target);
        }
    }
    return int(targets.size());
}

QString OwnSource::levelsNote(const std::string& text) const {
    if (!m_checkProblem.isEmpty()) return tr("Not verified: %1").arg(m_checkProblem);
    if (!m_check) return {};
    if (!m_check->is_inside)
        return tr("Outside of the kernel language, so that it is not verified and has no backward kernel: %1")
            .arg(toText(m_check->outside));
    QStringList said;
    if (!m_check->rejected.empty()) said << tr("It did not pass: %1.").arg(toText(m_check->rejected));
    if (!m_check->no_backward.empty())
        said << tr("No backward kernel: %1.").arg(toText(synth::explained_reason(m_check->no_backward)));
    const auto verified = std::ranges::find_if(m_check->texts, [&](const inspect::RecordText& one) {
        return toText(one.target) == m_target && one.is_backward == m_isBackward;
    });
    if (verified != m_check->texts.end() && verified->text != text)
        said << tr(
            "Verified is its tree as the language prints it, whose text is another than the one "
            "that is shown.");
    return said.join(QLatin1Char(' '));
}

void OwnSource::showChosen() {
    const inspect::SourceKernel* const kernel = chosen();
    if (kernel == nullptr || !m_isShown) return;
    if (m_isBackward && hasBackward()) return showBackward();
    auto made = std::make_shared<ShownKernel>();
    made->origin = tr("%1, %2, %3")
                       .arg(!m_file.isEmpty()  ? QFileInfo(m_file).fileName()
                            : m_name.isEmpty() ? tr("Yours")
                                               : m_name,
                            toText(m_compiled->target), toText(m_compiled->compiler));
    made->kernel = kernel->symbol;
    made->title = toText(kernel->name);
    made->text = kernel->text;
    made->source = m_compiledText.toStdString();
    made->lines = kernel->lines;
    if (!kernel->has_lines)
        made->note =
            tr("Compiled with line information this text becomes another one: lines are not marked.");
    made->isPtx = compile::makes_ptx(m_compiled->target);
    made->levelsNote = levelsNote(kernel->text);
    if (m_check) {
        made->levels = m_check->levels;
        made->runs = m_check->runs;
        // The same text is shown already: its run stays.
        const ShownKernelPtr& now = m_shown.kernel();
        if (now && now->kernel == made->kernel && now->text == made->text && now->lines == made->lines) {
            return m_shown.amend(*now, [made](ShownKernel& shown) {
                shown.levels = made->levels;
                shown.levelsNote = made->levelsNote;
                shown.runs = made->runs;
            });
        }
    }
    m_shown.show(std::move(made));
}

void OwnSource::showBackward() {
    auto made = std::make_shared<ShownKernel>();
    made->origin = tr("Backward of %1, %2").arg(m_kernel, m_target);
    made->kernel = m_check->backward_kernel;
    made->title = toText(made->kernel);
    made->source = m_check->backward_source;
    for (const inspect::RecordText& one : m_check->texts) {
        if (one.is_backward && toText(one.target) == m_target) made->text = one.text;
    }
    made->isPtx = compile::makes_ptx(m_target.toStdString());
    made->runs = m_check->backward_runs;
    made->levels = m_check->levels;
    made->levelsNote = levelsNote(made->text);
    m_shown.show(std::move(made));
}

void OwnSource::keep() {
    if (m_keptIn.empty()) return;
    m_keeping.start(
        tr("Keeping the source"),
        [path = m_keptIn, source = KeptSource{.file = m_file,
                                              .name = m_name,
                                              .text = m_text,
                                              .includeFolders = m_includeFolders,
                                              .definitions = m_definitions}](const JobControl&) {
            std::error_code error;  // found again, with a sentence, when the file is written
            std::filesystem::create_directories(path.parent_path(), error);
            return write_file_atomically(path, asJson(source));
        },
        [this](const Result<void>& done) {
            if (!done)
                Q_EMIT failed(tr("What is typed here is not kept: %1").arg(toText(done.error().message)));
        });
}

void OwnSource::keepIn(const std::filesystem::path& file) {
    m_keptIn = file;
    m_opening.start(
        tr("Reading the source that was kept"),
        [file](const JobControl&) -> Result<std::optional<KeptSource>> {
            std::error_code error;
            if (!std::filesystem::exists(file, error)) return std::nullopt;
            IIR2D_TRY(const std::string read, read_file(file, 2 * compile::longest_source));
            return keptSource(read);
        },
        [this, before = m_text](const Result<std::optional<KeptSource>>& read) {
            if (!read || !*read || m_text != before) return;
            const KeptSource& kept = **read;
            m_text = kept.text;
            m_file = kept.file;
            m_name = kept.name;
            m_includeFolders = kept.includeFolders;
            m_definitions = kept.definitions;
            m_savedText.clear();
            Q_EMIT opened();
            Q_EMIT optionsChanged();
            if (m_begun) compile();
        });
}

QString OwnSource::commandLine() const {
    if (m_file.isEmpty() || m_text != m_savedText || m_kernel.isEmpty()) return {};
    std::string options = m_isBackward ? " --backward" : "";
    for (const QString& folder : m_includeFolders) options += " -I " + shell_quoted(folder.toStdString());
    for (const QString& one : m_definitions) options += " -D " + shell_quoted(one.toStdString());
    return toText("iir2d synth extract " + shell_quoted(m_file.toStdString()) + " --kernel " +
                  shell_quoted(m_kernel.toStdString()) + " --targets " +
                  shell_quoted(m_target.toStdString()) + options);
}

}  // namespace workbench
