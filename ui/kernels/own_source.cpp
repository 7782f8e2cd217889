// SPDX-License-Identifier: MIT
#include "ui/kernels/own_source.h"

#include <QFileInfo>
#include <algorithm>
#include <chrono>
#include <utility>

#include "core/compile/extract.h"
#include "core/support/files.h"
#include "core/support/shell.h"
#include "core/support/try.h"
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

}  // namespace

OwnSource::OwnSource(ShownKernelModel& shown, QObject* parent)
    : QObject(parent),
      m_shown(shown),
      m_compiler(std::make_shared<compile::Compiler>()),
      m_text(toText(example)),
      m_opening(JobPolicy::newest_wins_at_once),
      m_compiling(JobPolicy::newest_wins) {
    m_pause.setSingleShot(true);
    m_pause.setInterval(pauseOfTyping);
    connect(&m_pause, &QTimer::timeout, this, &OwnSource::compile);
}

OwnSource::~OwnSource() = default;

void OwnSource::setText(const QString& text) {
    if (text == m_text) return;
    m_text = text;
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
    m_compiled.reset();
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
    if (!made) {
        m_compiled.reset();
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
}

void OwnSource::chooseKernel(const QString& symbol) {
    if (symbol == m_kernel) return;
    m_kernel = symbol;
    Q_EMIT stateChanged();
    showChosen();
}

void OwnSource::showChosen() {
    if (!m_compiled || !m_isShown) return;
    const auto chosen = std::ranges::find_if(m_compiled->kernels, [&](const inspect::SourceKernel& one) {
        return toText(one.symbol) == m_kernel;
    });
    if (chosen == m_compiled->kernels.end()) return;
    auto made = std::make_shared<ShownKernel>();
    made->origin = tr("%1, %2, %3")
                       .arg(!m_file.isEmpty()  ? QFileInfo(m_file).fileName()
                            : m_name.isEmpty() ? tr("Yours")
                                               : m_name,
                            toText(m_compiled->target), toText(m_compiled->compiler));
    made->kernel = chosen->symbol;
    made->title = toText(chosen->name);
    made->target = toText(m_compiled->target);
    made->text = chosen->text;
    made->source = m_compiledText.toStdString();
    made->sourceName = m_file;
    made->lines = chosen->lines;
    if (!chosen->has_lines)
        made->linesNote =
            tr("Compiled with line information this text becomes another one: lines are not marked.");
    // Text that is no PTX is shown without facts; PTX that cannot be read says why.
    if (compile::makes_ptx(m_compiled->target)) {
        if (const auto read = readFacts(*made); !read) made->linesNote = toSentence(read.error().message);
    }
    m_shown.show(std::move(made));
}

QString OwnSource::commandLine() const {
    if (m_file.isEmpty() || m_text != m_savedText || m_kernel.isEmpty()) return {};
    return toText("iir2d synth extract " + shell_quoted(m_file.toStdString()) + " --kernel " +
                  shell_quoted(m_kernel.toStdString()) + " --targets " +
                  shell_quoted(m_target.toStdString()));
}

}  // namespace workbench
