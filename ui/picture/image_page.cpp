// SPDX-License-Identifier: MIT
#include "ui/picture/image_page.h"

#include <QAction>
#include <QClipboard>
#include <QFileInfo>
#include <QGuiApplication>
#include <QStackedLayout>
#include <QTimer>

#include "core/image/display.h"
#include "core/image/reading_notes.h"
#include "ui/picture/empty_state.h"
#include "ui/picture/gradient_view.h"
#include "ui/picture/image_view.h"
#include "ui/picture/pixel_text.h"
#include "ui/picture/save_job.h"
#include "ui/picture/view_bar.h"
#include "ui/session/session.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"
#include "ui/widgets/floating_column.h"
#include "ui/widgets/job_bar.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

using Severity = MessageArea::Severity;

const auto openSubject = QStringLiteral("open");
const auto saveSubject = QStringLiteral("save");
const auto previewSubject = QStringLiteral("preview");
const auto contentSubject = QStringLiteral("content");
const auto readingSubject = QStringLiteral("reading");
const auto gradientSubject = QStringLiteral("gradient");

// A resize is a stream of sizes; a proxy is made for the last.
constexpr int resizeSettledMs = 120;
constexpr int roomForMark = 130;  // "Proxy at 1:12.5", which lies in the picture's corner
constexpr std::int64_t clipboardPixels = std::int64_t{1} << 27;  // half a gigabyte of screen pixels

QString fileName(const QString& path) {
    return QFileInfo(path).fileName();
}

}  // namespace

ImagePage::ImagePage(Session& session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_messages(new MessageArea(this)),
      m_openBar(new JobBar(this)),
      m_saveBar(new JobBar(this)),
      m_stack(new QStackedLayout),
      m_empty(new EmptyState(session, this)),
      m_view(new ImageView(this)),
      m_bar(new ViewBar(*m_view, this)),
      m_save(new SaveJob(session, this)),
      m_gradient(new GradientView(session, *m_view)) {
    setObjectName(QStringLiteral("imagePage"));
    auto* layout = makeColumn(this, 0);
    m_column = new FloatingColumn(FloatingColumn::Edge::top, this, roomForMark);
    for (QWidget* row : std::initializer_list<QWidget*>{m_messages, m_openBar, m_saveBar}) m_column->add(row);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_view);
    layout->addLayout(m_stack, 1);
    layout->addWidget(m_bar);

    connect(m_empty, &EmptyState::openRequested, this, &ImagePage::openRequested);
    connect(m_empty, &EmptyState::sampleRequested, this, &ImagePage::sampleRequested);
    connect(m_empty, &EmptyState::fileRequested, this, &ImagePage::fileRequested);
    connectOpening();
    connectSaving();

    connect(&session, &Session::frameChanged, this, &ImagePage::showFrame);
    connect(&session, &Session::statusChanged, this, &ImagePage::showMark);
    connect(m_bar, &ViewBar::pageChosen, this, &ImagePage::choosePage);
    connect(m_bar->gradientAction(), &QAction::toggled, m_gradient, &GradientView::setShown);
    connect(m_bar->argmaxAction(), &QAction::toggled, m_gradient, &GradientView::setShowsArgmax);
    for (const auto& [action, negative] :
         {std::pair{m_bar->paintAction(), false}, std::pair{m_bar->paintNegativeAction(), true}}) {
        connect(action, &QAction::triggered, this, [this, negative = negative] {
            m_bar->gradientAction()->setChecked(true);
            m_gradient->paintHere(negative);
        });
    }
    connect(m_bar->clearPaintedAction(), &QAction::triggered, m_gradient, &GradientView::clearPainted);
    connect(m_gradient, &GradientView::reasonChanged, this, [this](const QString& reason) {
        if (reason.isEmpty()) {
            m_messages->clear(gradientSubject);
        } else {
            m_messages->show(gradientSubject, Severity::info, reason);
        }
    });
    auto* settled = new QTimer(this);
    settled->setSingleShot(true);
    settled->setInterval(resizeSettledMs);
    connect(settled, &QTimer::timeout, this, &ImagePage::limitProxy);
    connect(m_view, &ImageView::viewChanged, this, [this, settled, last = QSize()]() mutable {
        if (std::exchange(last, m_view->devicePixels()) != m_view->devicePixels()) settled->start();
    });
    showImage();
}

ImagePage::~ImagePage() = default;

void ImagePage::connectOpening() {
    connect(&m_session, &Session::openStarted, this, [this](const QString& path) {
        m_messages->clear(openSubject);
        m_openBar->begin(tr("Opening %1").arg(fileName(path)));
    });
    connect(&m_session, &Session::openProgress, this,
            [this](double fraction, const QString& /*what*/) { m_openBar->setFraction(fraction); });
    connect(m_openBar, &JobBar::cancelRequested, &m_session, &Session::cancelOpen);
    connect(&m_session, &Session::openCancelled, this, [this](const QString& path) {
        m_openBar->end();
        m_messages->show(openSubject, Severity::info, tr("Opening %1 was cancelled.").arg(fileName(path)));
    });
    connect(&m_session, &Session::openFailed, this, [this](const QString&, const QString& message) {
        m_openBar->end();
        m_messages->show(openSubject, Severity::error, message);
    });
    connect(&m_session, &Session::openNeedsConsent, this,
            [this](const QString& path, int imageIndex, quint64 bytes) {
                m_openBar->end();
                m_messages->show(openSubject, Severity::warning,
                                 tr("%1 needs %2 of memory, and its result as much again.")
                                     .arg(fileName(path), bytesText(bytes)),
                                 {{tr("Open anyway"),
                                   [this, path, imageIndex] { m_session.openHugeImage(path, imageIndex); }}});
            });
    connect(&m_session, &Session::imageChanged, this, [this] {
        m_openBar->end();
        showImage();
    });
}

void ImagePage::connectSaving() {
    connect(m_save, &SaveJob::started, this, [this] {
        m_messages->clear(saveSubject);
        m_saveBar->begin(tr("Saving %1").arg(fileName(m_save->path())));
    });
    connect(m_save, &SaveJob::progressed, this, [this](double fraction, const QString& what) {
        m_saveBar->setText(tr("Saving %1: %2").arg(fileName(m_save->path()), what));
        m_saveBar->setFraction(fraction);
    });
    connect(m_saveBar, &JobBar::cancelRequested, m_save, &SaveJob::cancel);
    connect(m_save, &SaveJob::saved, this, [this](const QString& path, const QString& notes) {
        m_saveBar->end();
        m_messages->show(saveSubject, notes.isEmpty() ? Severity::info : Severity::warning,
                         notes.isEmpty() ? tr("Saved %1.").arg(path) : tr("Saved %1. %2").arg(path, notes));
        if (!notes.isEmpty()) return;  // a note is there to be read
        QTimer::singleShot(6000, m_messages, [this, shown = m_messages->textOf(saveSubject)] {
            if (m_messages->textOf(saveSubject) == shown) m_messages->clear(saveSubject);
        });
    });
    connect(m_save, &SaveJob::failed, this, [this](const QString& path, const QString& message) {
        m_saveBar->end();
        m_messages->show(saveSubject, Severity::error, message,
                         {{tr("Try again"), [this, path] { m_save->start(path); }}});
    });
    connect(m_save, &SaveJob::cancelled, this, [this](const QString& path) {
        m_saveBar->end();
        m_messages->show(saveSubject, Severity::info,
                         tr("Saving %1 was cancelled; nothing was written.").arg(fileName(path)));
    });
}

void ImagePage::addRow(QWidget* row) {
    m_column->add(row);
}

void ImagePage::showImage() {
    const ImagePtr image = m_session.image();
    m_stack->setCurrentWidget(image ? static_cast<QWidget*>(m_view) : m_empty);
    m_bar->setVisible(image != nullptr);
    m_view->setSource(image);
    m_bar->setImage(image);
    m_messages->clear(contentSubject);
    m_messages->clear(readingSubject);
    m_messages->clear(previewSubject);
    if (!image) return;
    const QString nonFinite = nonFiniteText(m_session.statistics());
    if (!nonFinite.isEmpty()) {
        m_messages->show(
            contentSubject, Severity::warning,
            tr("This image has samples that are not numbers: %1. They spread through a recursive "
               "filter; NaN is shown in magenta.")
                .arg(nonFinite));
    }
    if (m_empty->isAncestorOf(QGuiApplication::focusObject()
                                  ? qobject_cast<QWidget*>(QGuiApplication::focusObject())
                                  : nullptr)) {
        m_view->setFocus();
    }
    const QString notes = toSentences(reading_notes(image->info));
    if (!notes.isEmpty()) m_messages->show(readingSubject, Severity::info, notes);
    limitProxy();
    showFrame();
}

void ImagePage::showFrame() {
    const auto& frame = m_session.frame();
    if (frame && frame->result) {
        m_view->setResult(frame->result, QSize(int(frame->exact_shape.w), int(frame->exact_shape.h)));
    } else {
        m_view->setResult(nullptr, {});
    }
    showMark();
}

void ImagePage::showMark() {
    ViewMark next;
    const auto& frame = m_session.frame();
    const PreviewStatus& status = m_session.status();
    const bool isComputing = status.state == PreviewStatus::State::computing;
    if (!m_session.image()) {
        next = {};
    } else if (status.state == PreviewStatus::State::failed) {
        next = {ViewMark::Kind::failed, tr("Not computed"), -1.0};
    } else if (m_session.exactResult()) {
        next = {ViewMark::Kind::exact, tr("Exact"), -1.0};
    } else if (frame && frame->quality == PreviewQuality::proxy) {
        const QString scale = QLocale().toString(frame->factor, 'f', frame->factor < 10.0 ? 1 : 0);
        next = {ViewMark::Kind::proxy, tr("Proxy at 1:%1").arg(scale), isComputing ? status.progress : -1.0};
    } else if (isComputing) {
        next = {ViewMark::Kind::computing, tr("Computing"), status.progress};
    }
    m_view->setMark(next);
    if (next != m_mark) {
        m_mark = next;
        Q_EMIT markChanged(m_mark);
    }
    if (status.state == PreviewStatus::State::failed && status.error) {
        const QString message = QString::fromStdString(status.error->message);
        if (m_messages->textOf(previewSubject) != message) {
            m_messages->show(previewSubject, Severity::error, message);
        }
    } else if (!isComputing) {  // while computing nobody knows yet, and the row would flicker
        m_messages->clear(previewSubject);
    }
}

void ImagePage::limitProxy() {
    if (m_session.image()) m_session.setProxyLimit(m_view->devicePixels());
}

void ImagePage::choosePage(int index) {
    const ImagePtr image = m_session.image();
    if (!image || index < 0 || index >= image->info.image_count || index == image->info.image_index) return;
    m_session.openImage(fromPath(image->info.path), index);
}

void ImagePage::copyImage() {
    const auto& frame = m_session.frame();
    const std::shared_ptr<const Image> image = frame && frame->result ? frame->result : m_session.image();
    if (!image) return;
    const auto copySubject = QStringLiteral("copy");
    if (image->pixels.plane_size() > clipboardPixels) {
        m_messages->show(copySubject, Severity::error,
                         tr("An image of %1 × %2 pixels is too large for the clipboard; save it instead.")
                             .arg(image->pixels.width())
                             .arg(image->pixels.height()));
        return;
    }
    const auto render = [image, options = m_view->displayOptions()](const TaskControl&) -> Result<QImage> {
        QImage copy(int(image->pixels.width()), int(image->pixels.height()), QImage::Format_RGB32);
        if (copy.isNull()) throw std::bad_alloc();
        workbench::render(image->pixels, options, 0.0, 0.0, 1.0, copy.width(), copy.height(), 0xff000000,
                          std::span(reinterpret_cast<std::uint32_t*>(copy.bits()),
                                    std::size_t(copy.width()) * std::size_t(copy.height())));
        return copy;
    };
    m_copier.start({}, render, [this, copySubject](const Result<QImage>& copy) {
        if (copy) {
            QGuiApplication::clipboard()->setImage(*copy);
        } else {
            m_messages->show(copySubject, Severity::error,
                             tr("The image was not copied: %1").arg(toText(copy.error().message)));
        }
    });
}

}  // namespace workbench
