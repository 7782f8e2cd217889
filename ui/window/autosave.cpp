// SPDX-License-Identifier: MIT
#include "ui/window/autosave.h"

#include <QDateTime>
#include <QUndoStack>
#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

#include "core/record/record.h"
#include "core/support/files.h"
#include "core/support/try.h"
#include "ui/benchmark/benchmark_page.h"
#include "ui/benchmark/record_desk.h"
#include "ui/operations/operations_panel.h"
#include "ui/operations/recipe_bar.h"
#include "ui/picture/image_page.h"
#include "ui/picture/image_view.h"
#include "ui/picture/view_bar.h"
#include "ui/session/session.h"
#include "ui/support/paths.h"
#include "ui/window/main_window.h"

namespace workbench {
namespace {

SavedView viewOf(const MainWindow& window) {
    const ImageView& view = window.imagePage().view();
    const ViewTransform& transform = view.transform();
    const QSize size = transform.viewSize();
    const QPointF middle = transform.toImage(QPointF(size.width(), size.height()) / 2.0);
    return {.fitted = transform.isFitted(),
            .zoom = transform.zoom(),
            .x = middle.x(),
            .y = middle.y(),
            .split = view.hasSplit(),
            .splitPosition = view.splitPosition(),
            .exposure = view.displayOptions().exposure_stops,
            .gamma = view.displayOptions().gamma};
}

}  // namespace

// What waits to be written: only the newest.
struct Autosave::Queue {
    std::mutex mutex;
    std::optional<SavedState> next;
};

Autosave::Autosave(MainWindow& window, StateFile file)
    : m_window(window), m_file(std::move(file)), m_queue(std::make_shared<Queue>()) {
    m_timer.setSingleShot(true);
    m_timer.setInterval(delay_ms);
    connect(&m_timer, &QTimer::timeout, this, &Autosave::write);
    Session& session = window.session();
    const auto on = [this](auto* sender, auto signal) { connect(sender, signal, this, &Autosave::changed); };
    on(&session, &Session::openStarted);
    on(&session, &Session::openFailed);
    on(&session, &Session::openCancelled);
    on(&session, &Session::imageChanged);
    on(&session, &Session::recipeChanged);
    on(&session, &Session::deviceChanged);
    on(session.undoStack(), &QUndoStack::indexChanged);
    on(session.undoStack(), &QUndoStack::cleanChanged);
    on(&window, &MainWindow::pageChanged);
    on(&window.operationsPanel(), &OperationsPanel::selectionChanged);
    const ImageView* view = &window.imagePage().view();
    on(view, &ImageView::viewChanged);
    on(view, &ImageView::splitChanged);
    on(view, &ImageView::splitMoved);
    on(&window.imagePage().viewBar(), &ViewBar::displayChanged);
    const RecordDesk* desk = &window.benchmarkPage().desk();
    for (const auto signal : {&RecordDesk::shownChanged, &RecordDesk::stateChanged, &RecordDesk::exported})
        connect(desk, signal, this, &Autosave::writeResults);
    connect(&window, &MainWindow::closing, this, [this](bool decided) {
        if (m_closed) return;
        saveNow();
        m_closed = true;
        if (decided) m_file.remove();
    });
    changed();
}

Autosave::~Autosave() {
    if (m_timer.isActive()) saveNow();
    m_writer.wait();
}

SavedState Autosave::state() const {
    const Session& session = m_window.session();
    const ImagePtr image = session.image();
    SavedState state{.savedUtc = QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs),
                     .page = MainWindow::nameOf(m_window.page()),
                     .device = session.deviceSpec(),
                     .threads = session.threads(),
                     .view = viewOf(m_window),
                     .history = session.history(),
                     .recipeFile = m_window.operationsPanel().recipeBar().path(),
                     .selectedRow = m_window.operationsPanel().selectedRow()};
    for (const KeptResults& each : m_results) state.results.push_back(each.number);
    if (session.isOpening()) {
        state.image = session.openingPath();
        state.imageIndex = session.openingIndex();
    } else if (image) {
        state.image = fromPath(image->info.path);
        state.imageIndex = image->info.image_index;
    }
    return state;
}

// Whoever goes on working was not ended after all.
void Autosave::changed() {
    if (m_closed) return;
    m_window.setSessionEnding(false);
    if (!m_timer.isActive()) m_timer.start();
}

void Autosave::write() {
    {
        const std::lock_guard lock(m_queue->mutex);
        m_queue->next = state();
    }
    enqueue([this, queue = m_queue]() -> Result<bool> {
        std::optional<SavedState> next;
        {
            const std::lock_guard lock(queue->mutex);
            next.swap(queue->next);
        }
        if (!next) return false;
        if (next->isEmpty()) {
            m_file.removeState();
            return false;
        }
        IIR2D_RETURN_IF_ERROR(m_file.write(*next));
        return true;
    });
}

void Autosave::enqueue(std::function<Result<bool>()> work) {
    m_writer.start(
        {}, [work = std::move(work)](const JobControl&) { return work(); },
        [this](const Result<bool>& done) {
            if (!done) {
                Q_EMIT failed(QString::fromStdString(done.error().message));
            } else if (*done) {
                Q_EMIT written();
            }
        });
}

// Each in a file of its own, so that no file is overwritten by what takes its place.
void Autosave::writeResults() {
    if (m_closed) return;
    std::vector<KeptResults> next;
    for (const DeskResults& each : m_window.benchmarkPage().desk().unwritten()) {
        const std::shared_ptr<const void> what =
            each.run ? std::shared_ptr<const void>(each.run) : std::shared_ptr<const void>(each.restored);
        const auto found = std::ranges::find(m_results, what, &KeptResults::what);
        if (found != m_results.end()) {
            next.push_back(*found);
            continue;
        }
        next.push_back({what, m_nextNumber++});
        enqueue([this, each, number = next.back().number]() -> Result<bool> {
            IIR2D_RETURN_IF_ERROR(
                m_file.writeResults(number, each.run ? record_to_json(*each.run) : *each.restored));
            return true;
        });
    }
    const auto same = [](const KeptResults& a, const KeptResults& b) { return a.number == b.number; };
    if (std::ranges::equal(next, m_results, same)) return;
    const std::vector<KeptResults> before = std::exchange(m_results, std::move(next));
    // The state names the new files before the old ones go: a kill between two writes loses neither.
    write();
    for (const KeptResults& old : before) {
        if (std::ranges::find(m_results, old.number, &KeptResults::number) == m_results.end())
            enqueue([this, number = old.number]() -> Result<bool> {
                m_file.removeResults(number);
                return false;
            });
    }
    changed();
}

void Autosave::saveNow() {
    if (m_closed) return;
    m_timer.stop();
    write();
    m_writer.wait();
}

void Autosave::endSession() {
    saveNow();
    m_window.setSessionEnding(true);
}

void Autosave::restore(const EndedSession& ended) {
    Session& session = m_window.session();
    OperationsPanel& operations = m_window.operationsPanel();
    const SavedState& state = ended.state;
    if (session.history() == RecipeHistory{}) {
        session.restoreHistory(state.history);
        operations.recipeBar().setPath(state.recipeFile);
    } else {
        session.changeRecipe(tr("Restore the recipe"),
                             state.history.recipes[std::size_t(state.history.position)]);
    }
    if (state.selectedRow >= 0) operations.selectRow(state.selectedRow);
    if (!state.device.isEmpty() && state.device != session.deviceSpec()) session.setDeviceSpec(state.device);
    if (state.threads != session.threads()) session.setThreads(state.threads);

    if (!state.image.isEmpty()) {
        // Of this image only: whoever opens another meanwhile has a view of their own.
        auto* waiting = new QObject(this);
        connect(&session, &Session::imageChanged, waiting, [this, waiting, state] {
            waiting->deleteLater();
            const QString opened = fromPath(m_window.session().image()->info.path);
            if (opened == state.image) showView(state.view);
        });
        connect(&session, &Session::openFailed, waiting, &QObject::deleteLater);
        connect(&session, &Session::openCancelled, waiting, &QObject::deleteLater);
        session.openImage(state.image, state.imageIndex);
    }
    // What is restored becomes this window's before the ended session's is removed.
    std::vector<std::string> results;
    for (const int number : state.results) {
        if (auto json = read_file(ended.file.resultsPath(number))) results.push_back(*std::move(json));
    }
    bool kept = results.size() == state.results.size();
    if (!results.empty()) m_window.benchmarkPage().desk().restore(std::move(results));
    writeResults();
    if (const auto page = MainWindow::pageNamed(state.page)) m_window.setPage(*page);
    saveNow();
    const auto saved = m_file.write(this->state());
    std::error_code error;
    for (const KeptResults& each : m_results)
        kept = kept && std::filesystem::exists(m_file.resultsPath(each.number), error);
    if (kept && saved) {
        ended.file.remove();
    } else {
        Q_EMIT failed(saved ? tr("the benchmark results of the ended session could not be taken over; they "
                                 "are offered again at the next start")
                            : QString::fromStdString(saved.error().message));
    }
}

void Autosave::showView(const SavedView& saved) {
    ImageView& view = m_window.imagePage().view();
    view.setSplitPosition(saved.splitPosition);
    view.setSplit(saved.split);
    m_window.imagePage().viewBar().setExposure(saved.exposure);
    m_window.imagePage().viewBar().setGamma(saved.gamma);
    if (!saved.fitted) view.showAt(saved.zoom, {saved.x, saved.y});
}

}  // namespace workbench
