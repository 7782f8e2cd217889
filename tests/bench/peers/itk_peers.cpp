// SPDX-License-Identifier: MIT
#include <itkImage.h>
#include <itkImageRegionConstIterator.h>
#include <itkImportImageFilter.h>
#include <itkMultiThreaderBase.h>
#include <itkSmoothingRecursiveGaussianImageFilter.h>
#include <itkVersion.h>

#include "tests/bench/peers/peer.h"

namespace bench {

namespace {

using Image = itk::Image<float, 2>;
using Smoother = itk::SmoothingRecursiveGaussianImageFilter<Image, Image>;

class ItkJob final : public PeerJob {
  public:
    ItkJob(const Plane<float>& x, double sigma, int threads) {
        itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(static_cast<itk::ThreadIdType>(threads));
        const auto import = itk::ImportImageFilter<float, 2>::New();
        itk::ImportImageFilter<float, 2>::RegionType region;
        region.SetSize(0, x.size());
        region.SetSize(1, x.size());
        import->SetRegion(region);
        import->SetImportPointer(const_cast<float*>(x.data()), x.count(), false);
        import->Update();
        m_smoother->SetInput(import->GetOutput());
        m_smoother->SetNumberOfWorkUnits(static_cast<itk::ThreadIdType>(threads));
        m_smoother->SetSigma(sigma);
    }
    void prepare() override { m_smoother->Modified(); }  // else it has its result already
    void run() override { m_smoother->Update(); }
    void fetch(Plane<float>& y) override {
        itk::ImageRegionConstIterator<Image> at(m_smoother->GetOutput(),
                                                m_smoother->GetOutput()->GetLargestPossibleRegion());
        for (float* to = y.data(); !at.IsAtEnd(); ++at) *to++ = at.Get();
    }

  private:
    Smoother::Pointer m_smoother = Smoother::New();
};

Peer smoother(const std::string& group, double sigma) {
    return {group, std::string("ITK ") + itk::Version::GetITKVersion(),
            "SmoothingRecursiveGaussian, sigma " + std::to_string(static_cast<int>(sigma)), sigma,
            [sigma](const Plane<float>& x, int threads) -> std::unique_ptr<PeerJob> {
                return std::make_unique<ItkJob>(x, sigma, threads);
            }};
}

}  // namespace

std::vector<Peer> itk_peers() {
    return {smoother("smooth, sigma 2", 2), smoother("smooth, sigma 8", 8)};
}

}  // namespace bench
