# SPDX-License-Identifier: MIT
"""Arrays of other libraries through iir2d's functions."""

import numpy as np
import pytest

import iir2d


class Producer:
    """An array that speaks DLPack and nothing else."""

    def __init__(self, array, device=None):
        self.array, self.device, self.exports = array, device, 0

    def __dlpack_device__(self):
        return self.device or self.array.__dlpack_device__()

    def __dlpack__(self, **arguments):
        self.exports += 1
        return self.array.__dlpack__(**arguments)


class OldProducer(Producer):
    """The same from before versions were exchanged."""

    def __dlpack__(self):
        return super().__dlpack__()


@pytest.mark.parametrize("kind", [Producer, OldProducer])
def test_a_producer_of_ones_own(rng, kind):
    x = rng.random((2, 9, 8)).astype(np.float32)
    producer = kind(x)
    want = iir2d.filter(x, 3)
    assert np.array_equal(iir2d.filter(producer, 3), want)
    assert producer.exports == 1
    out = np.empty_like(x)
    target = kind(out)
    assert iir2d.filter(producer, 3, out=target) is target
    assert np.array_equal(out, want)
    assert np.array_equal(iir2d.filter(x, 6, sigma=Producer(np.array([1.0, 2.0]))),
                          iir2d.filter(x, 6, sigma=np.array([1.0, 2.0])))


def test_a_device_is_refused():
    with pytest.raises(TypeError, match="device"):
        iir2d.filter(Producer(np.zeros((4, 4)), device=(10, 0)))


def test_torch(rng):
    torch = pytest.importorskip("torch")
    x = rng.random((2, 9, 8))
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        tensor = torch.from_numpy(x).to(dtype)
        y = iir2d.filter(tensor, 4)
        assert type(y) is torch.Tensor and y.dtype == dtype and y.shape == tensor.shape
        out = torch.empty_like(tensor)
        assert iir2d.filter(tensor, 4, out=out) is out and torch.equal(out, y)
        assert torch.equal(iir2d.filter(tensor[:, ::2, ::3], 4), iir2d.filter(tensor[:, ::2, ::3].contiguous(), 4))
    y, places = iir2d.pool(tensor, "max", return_indices=True)
    assert places.dtype == torch.int64 and y.dtype == torch.bfloat16
    with pytest.raises(TypeError):
        iir2d.filter(torch.zeros(4, 4, dtype=torch.int32))


def test_jax(rng):
    jnp = pytest.importorskip("jax.numpy")
    x = rng.random((2, 9, 8)).astype(np.float32)
    for dtype in (jnp.float32, jnp.float16, jnp.bfloat16):
        array = jnp.asarray(x, dtype)
        y = iir2d.filter(array, 4)
        assert isinstance(y, type(array)) and y.dtype == dtype
        assert np.array_equal(np.asarray(y), iir2d.filter(np.asarray(array), 4))
        with pytest.raises(iir2d.InvalidArgumentError, match="read-only"):
            iir2d.filter(array, out=jnp.zeros_like(array))


def test_out_of_another_library_is_written_where_it_lies(rng):
    torch = pytest.importorskip("torch")
    x = torch.from_numpy(rng.random((2, 9, 8)))
    out = torch.empty(2, 9, 16, dtype=torch.float64)[..., :8]
    address = out.data_ptr()
    assert iir2d.filter(x, 3, out=out) is out and out.data_ptr() == address
    assert np.array_equal(out.numpy(), iir2d.filter(x.numpy(), 3))
    array = np.zeros((2, 9, 8))
    iir2d.filter(x, 3, out=Producer(array))
    assert np.array_equal(array, out.numpy())


def test_a_result_of_jax_is_not_copied(rng):
    jax = pytest.importorskip("jax")
    from iir2d import _arrays

    result = _arrays.empty(jax.numpy.zeros((9, 8)), 0, (9, 8))
    finished = _arrays.finish(jax.numpy.zeros((9, 8)), result)
    assert finished.unsafe_buffer_pointer() == result.__array_interface__["data"][0]
