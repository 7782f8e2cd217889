// SPDX-License-Identifier: MIT
#include "ui/session/session.h"

#include <QDir>
#include <QUndoStack>
#include <algorithm>
#include <utility>

#include "core/support/devices.h"
#include "core/support/try.h"
#include "ui/session/image_loader.h"
#include "ui/session/job.h"
#include "ui/session/latest_slot.h"
#include "ui/session/recipe_command.h"
#include "ui/session/saved_state.h"

namespace workbench {

struct Session::Impl {
    explicit Impl(Session* session)
        : q(session),
          settings(load_settings()),
          savedSettings(std::make_shared<Settings>(settings)),
          device(cpu_device(settings.threads, "The CPU, while the devices are being looked at.")),
          frames(session, [this](PreviewFrame next) { takeFrame(std::move(next)); }),
          statuses(session, [this](PreviewStatus next) { takeStatus(std::move(next)); }),
          engine(PreviewEngine::Callbacks{
              .frame = [this](PreviewFrame next) { frames.put(std::move(next)); },
              .status = [this](PreviewStatus next) { statuses.put(std::move(next)); }}) {}

    void submit() {
        if (!image) return;
        latest = engine.submit(recipe);
        // What was said of the change before does not hold for this one.
        status = {.state = PreviewStatus::State::computing, .change = latest};
        Q_EMIT q->statusChanged();
    }

    void setRecipe(const Recipe& next) {
        recipe = next;
        if (restoring) return;
        submit();
        Q_EMIT q->recipeChanged();
    }

    void setPin(const std::optional<iir2d::Config>& next) {
        pin = next;
        engine.set_config(pin);
        submit();
        Q_EMIT q->pinChanged();
    }

    // Of the steps before `index`, those that change the recipe.
    int recipeSteps(int index) const {
        int count = 0;
        for (int i = 0; i < index; ++i) {
            if (dynamic_cast<const RecipeCommand*>(undoStack.command(i))) ++count;
        }
        return count;
    }

    void setImage(ImagePtr next, std::vector<ChannelStatistics> nextStatistics) {
        image = std::move(next);
        statistics = std::move(nextStatistics);
        frame.reset();
        engine.set_source(image);
        submit();
        first = latest;  // frames of an earlier change show an image that is gone
        Q_EMIT q->imageChanged();
        Q_EMIT q->frameChanged();
    }

    void takeFrame(PreviewFrame next) {
        // Of one change the exact frame may already be here when its proxy was delayed.
        const bool isOlder =
            frame && (next.change < frame->change ||
                      (next.change == frame->change && frame->quality == PreviewQuality::exact &&
                       next.quality == PreviewQuality::proxy));
        if (!image || next.change < first || isOlder) return;
        frame = std::move(next);
        Q_EMIT q->frameChanged();
    }

    void takeStatus(PreviewStatus next) {
        if (!image || next.change < latest) return;
        status = std::move(next);
        Q_EMIT q->statusChanged();
        const bool failed = status.state == PreviewStatus::State::failed && status.error &&
                            status.error->kind == ErrorKind::device_failure;
        if (failed && device.device.backend() == iir2d::Backend::cuda) leaveGpu(status.error->message);
    }

    // A GPU that fails must not stop the work: the CPU goes on with image and recipe as they are. The choice
    // in the settings stays, and choosing it again resets the GPU.
    void leaveGpu(const std::string& why) {
        const auto cpu = iir2d::Device::cpu(settings.threads);
        if (!cpu) return;
        const std::string gpu = device.device.id();
        device = {*cpu, gpu + " failed, so the CPU computes; choose it again to retry"};
        engine.set_device(*cpu);
        submit();
        Q_EMIT q->deviceChanged();
        Q_EMIT q->deviceFailed(QString::fromStdString(gpu + " failed: " + why + ". The CPU computes now."));
    }

    void chooseDevice() {
        chooser.start(
            {},
            [spec = settings.device, threads = settings.threads](const TaskControl&) {
                return choose_device(spec, threads);
            },
            [this](const Result<iir2d::DeviceChoice>& choice) { takeDevice(choice); });
    }

    void takeDevice(const Result<iir2d::DeviceChoice>& choice) {
        if (choice) {
            const bool same = choice->device.id() == device.device.id() &&
                              choice->device.threads() == device.device.threads();
            device = *choice;
            if (!same) {
                engine.set_device(device.device);
                submit();
            }
        }
        Q_EMIT q->deviceChanged();
        if (!choice) Q_EMIT q->deviceFailed(QString::fromStdString(choice.error().message));
    }

    void listDevices() {
        lister.start(
            {}, [](const TaskControl&) -> Result<std::vector<iir2d::DeviceInfo>> { return list_devices(); },
            [this](Result<std::vector<iir2d::DeviceInfo>> listed) {
                if (listed) devices = std::move(*listed);
                Q_EMIT q->devicesChanged();
            });
    }

    Session* q;
    Settings settings;
    std::shared_ptr<Settings> savedSettings;  // as last loaded or saved; after the start the saver's alone
    Recipe recipe;
    std::optional<iir2d::Config> pin;
    QUndoStack undoStack;
    int gesture = 0;  // see RecipeCommand
    bool restoring = false;

    ImageLoader loader;
    ImagePtr image;
    std::vector<ChannelStatistics> statistics;

    iir2d::DeviceChoice device;
    std::vector<iir2d::DeviceInfo> devices;

    std::optional<PreviewFrame> frame;
    PreviewStatus status;
    std::uint64_t latest = 0;  // the newest change
    std::uint64_t first = 0;   // the first change on the open image

    // Destroyed in reverse: first the threads that call, then what they call.
    LatestSlot<PreviewFrame> frames;
    LatestSlot<PreviewStatus> statuses;
    PreviewEngine engine;
    Job chooser{JobPolicy::newest_wins};
    Job lister{JobPolicy::refuse_while_busy};
    Job saver{JobPolicy::newest_next};
};

Session::Session(QObject* parent) : QObject(parent), m_impl(std::make_unique<Impl>(this)) {
    m_impl->engine.set_device(m_impl->device.device);
    // What is undone is over: a drag that goes on afterwards is a new step.
    connect(&m_impl->undoStack, &QUndoStack::indexChanged, this, [this, last = 0](int index) mutable {
        if (index < last) endMerge();
        last = index;
    });
    connect(&m_impl->loader, &ImageLoader::progressed, this, &Session::openProgress);
    connect(&m_impl->loader, &ImageLoader::failed, this, &Session::openFailed);
    connect(&m_impl->loader, &ImageLoader::needsConsent, this, &Session::openNeedsConsent);
    connect(&m_impl->loader, &ImageLoader::loaded, this,
            [this](const ImagePtr& image, const std::vector<ChannelStatistics>& statistics) {
                m_impl->settings.add_recent_file(image->info.path);
                m_impl->setImage(image, statistics);
            });
    m_impl->chooseDevice();
    m_impl->listDevices();
}

Session::~Session() {
    // Signals that the stack sends while it goes would reach half a session.
    m_impl->undoStack.disconnect();
    m_impl->saver.wait();  // the last settings given are the last written
}

void Session::openImage(const QString& path, int imageIndex) {
    m_impl->loader.start(path, imageIndex, false);
    Q_EMIT openStarted(path);
}

void Session::openHugeImage(const QString& path, int imageIndex) {
    m_impl->loader.start(path, imageIndex, true);
    Q_EMIT openStarted(path);
}

void Session::cancelOpen() {
    if (m_impl->loader.cancel()) Q_EMIT openCancelled(m_impl->loader.path());
}

bool Session::isOpening() const {
    return m_impl->loader.isRunning();
}

QString Session::openingPath() const {
    return isOpening() ? m_impl->loader.path() : QString();
}

int Session::openingIndex() const {
    return isOpening() ? m_impl->loader.imageIndex() : 0;
}

ImagePtr Session::image() const {
    return m_impl->image;
}

const std::vector<ChannelStatistics>& Session::statistics() const {
    return m_impl->statistics;
}

const Recipe& Session::recipe() const {
    return m_impl->recipe;
}

QUndoStack* Session::undoStack() const {
    return &m_impl->undoStack;
}

void Session::changeRecipe(const QString& text, Recipe next, int mergeKey) {
    if (next == m_impl->recipe) return;
    m_impl->undoStack.push(new RecipeCommand(text, m_impl->recipe, std::move(next), mergeKey, m_impl->gesture,
                                             [this](const Recipe& recipe) {
                                                 if (recipe != m_impl->recipe) m_impl->setRecipe(recipe);
                                             }));
}

void Session::endMerge() {
    ++m_impl->gesture;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): the recipe may be one of the undo history's
void Session::resetRecipe(Recipe recipe) {
    endMerge();
    m_impl->undoStack.clear();
    m_impl->setRecipe(recipe);
}

// What was pinned since the recipe was saved leaves it as it is.
bool Session::isRecipeModified() const {
    const QUndoStack& stack = m_impl->undoStack;
    if (stack.cleanIndex() < 0) return true;
    return m_impl->recipeSteps(stack.index()) != m_impl->recipeSteps(stack.cleanIndex());
}

const std::optional<iir2d::Config>& Session::pinnedConfig() const {
    return m_impl->pin;
}

void Session::pinConfig(std::optional<iir2d::Config> config) {
    if (config == m_impl->pin) return;
    endMerge();
    m_impl->undoStack.push(
        new PinCommand(m_impl->pin, config, [this](const auto& next) { m_impl->setPin(next); }));
}

RecipeHistory Session::history() const {
    constexpr int mostSteps = 50;
    const QUndoStack& stack = m_impl->undoStack;
    const int first = std::min(std::max(0, stack.count() - mostSteps), stack.index());
    // What was pinned is not kept: it suits the machine and the moment.
    const int before = m_impl->recipeSteps(first);
    RecipeHistory history{
        .recipes = {},
        .position = m_impl->recipeSteps(stack.index()) - before,
        .clean = stack.cleanIndex() < first ? -1 : m_impl->recipeSteps(stack.cleanIndex()) - before};
    for (int i = first; i < stack.count(); ++i) {
        const auto* step = dynamic_cast<const RecipeCommand*>(stack.command(i));
        if (!step) continue;
        if (history.recipes.empty()) history.recipes = {step->before()};
        history.recipes.push_back(step->after());
        history.steps.append(step->text());
    }
    if (history.recipes.empty()) history.recipes = {m_impl->recipe};
    return history;
}

void Session::restoreHistory(const RecipeHistory& history) {
    endMerge();
    m_impl->undoStack.clear();
    m_impl->recipe = history.recipes.front();
    // Only the recipe in force is computed and shown.
    m_impl->restoring = true;
    m_impl->undoStack.resetClean();
    for (int i = 0;; ++i) {
        if (i == history.clean) m_impl->undoStack.setClean();
        if (i == int(history.steps.size())) break;
        changeRecipe(history.steps[i], history.recipes[std::size_t(i) + 1]);
    }
    m_impl->undoStack.setIndex(history.position);
    m_impl->restoring = false;
    m_impl->setRecipe(history.recipes[std::size_t(history.position)]);
}

QString Session::deviceSpec() const {
    return QString::fromStdString(m_impl->settings.device);
}

void Session::setDeviceSpec(const QString& spec) {
    m_impl->settings.device = spec.toStdString();
    m_impl->chooseDevice();
}

int Session::threads() const {
    return m_impl->settings.threads;
}

void Session::setThreads(int threads) {
    m_impl->settings.threads = threads;
    m_impl->chooseDevice();
}

bool Session::isChoosingDevice() const {
    return m_impl->chooser.isRunning();
}

const iir2d::DeviceChoice& Session::device() const {
    return m_impl->device;
}

const std::vector<iir2d::DeviceInfo>& Session::devices() const {
    return m_impl->devices;
}

bool Session::isListingDevices() const {
    return m_impl->lister.isRunning();
}

void Session::refreshDevices() {
    m_impl->listDevices();
}

void Session::setProxyLimit(QSize devicePixels) {
    m_impl->engine.set_proxy_limit(devicePixels.width(), devicePixels.height());
}

const std::optional<PreviewFrame>& Session::frame() const {
    return m_impl->frame;
}

const PreviewStatus& Session::status() const {
    return m_impl->status;
}

std::shared_ptr<const Image> Session::exactResult() const {
    const auto& frame = m_impl->frame;
    const bool isExact = frame && frame->quality == PreviewQuality::exact && frame->change == m_impl->latest;
    return isExact ? frame->result : nullptr;
}

Settings& Session::settings() {
    return m_impl->settings;
}

QString Session::exportFolder(const QString& otherwise) const {
    const std::string& folder = m_impl->settings.export_directory;
    if (!folder.empty()) return QString::fromStdString(folder);
    return otherwise.isEmpty() ? QDir::homePath() : otherwise;
}

QString Session::inExportFolder(const QString& name) const {
    return QDir(exportFolder()).filePath(name);
}

void Session::keepExportFolder(const QString& folder) {
    m_impl->settings.export_directory = folder.toStdString();
    saveSettings();
}

void Session::saveSettings() {
    // A flush to a slow disk must not stop the window.
    m_impl->saver.start(
        {},
        [settings = m_impl->settings, base = m_impl->savedSettings](const JobControl&) -> Result<void> {
            IIR2D_RETURN_IF_ERROR(save_settings(settings, *base));
            *base = settings;
            return {};
        },
        [this](const Result<void>& saved) {
            if (!saved) Q_EMIT settingsFailed(QString::fromStdString(saved.error().message));
        });
}

}  // namespace workbench
