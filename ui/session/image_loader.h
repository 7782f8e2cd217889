// SPDX-License-Identifier: MIT
// Reads one image at a time in the background; the newest request wins. Signals come in the GUI thread, and
// never for a request that a newer one or cancel() has overtaken.
#pragma once

#include <QObject>
#include <QString>
#include <cstdint>
#include <vector>

#include "core/image/image.h"
#include "ui/session/job.h"

namespace workbench {

class ImageLoader : public QObject {
    Q_OBJECT
  public:
    // An image that takes more memory than this is read only with the user's consent.
    static constexpr std::uint64_t askAboveBytes = std::uint64_t{2} << 30;

    explicit ImageLoader(QObject* parent = nullptr);
    ~ImageLoader() override;  // cancels and joins

    void start(const QString& path, int imageIndex, bool hasConsent);
    // Returns false when nothing was running.
    bool cancel() { return m_job.abandon(); }
    bool isRunning() const { return m_job.isRunning(); }
    // Returns those of the newest request.
    QString path() const { return m_job.what(); }
    int imageIndex() const { return m_imageIndex; }

  Q_SIGNALS:
    void progressed(double fraction, const QString& what);
    void loaded(workbench::ImagePtr image, const std::vector<workbench::ChannelStatistics>& statistics);
    void failed(const QString& path, const QString& message);
    void needsConsent(const QString& path, int imageIndex, quint64 bytes);

  private:
    int m_imageIndex = 0;
    Job m_job;
};

}  // namespace workbench
