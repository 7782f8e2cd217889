/* SPDX-License-Identifier: MIT
 * Calls a handler as XLA does, by a call frame made by hand, with memory and a stream of the caller's. */
#include <stdio.h>
#include <string.h>

#include "xla/ffi/api/c_api.h"

enum { most = 16, max_alignment = 16 };

/* An array, or an attribute: `rank` -1 is a scalar, else an array of dims[0] elements. */
typedef struct {
    const char* name;
    int32_t dtype;
    int64_t rank;
    int64_t* dims;
    void* data;
} Value;

struct XLA_FFI_Error {
    int code;
    char message[1024];
};

struct XLA_FFI_ExecutionContext {
    void* stream;
    char* scratch;
    size_t free_bytes;
    int allocations;
};

static struct XLA_FFI_Error last_error;

static XLA_FFI_Error* error_create(XLA_FFI_Error_Create_Args* args) {
    last_error.code = (int)args->errc;
    snprintf(last_error.message, sizeof last_error.message, "%s", args->message);
    return &last_error;
}

static void error_get_message(XLA_FFI_Error_GetMessage_Args* args) {
    args->message = args->error->message;
}

static void error_destroy(XLA_FFI_Error_Destroy_Args* args) {
    (void)args;
}

static XLA_FFI_Error* stream_get(XLA_FFI_Stream_Get_Args* args) {
    args->stream = args->ctx->stream;
    return NULL;
}

static XLA_FFI_Error* memory_allocate(XLA_FFI_DeviceMemory_Allocate_Args* args) {
    struct XLA_FFI_ExecutionContext* ctx = args->ctx;
    if (args->alignment > max_alignment) { /* as XLA's own allocator */
        XLA_FFI_Error_Create_Args error = {sizeof error, NULL, "unsupported alignment",
                                           XLA_FFI_Error_Code_INVALID_ARGUMENT};
        return error_create(&error);
    }
    if (args->size > ctx->free_bytes) {
        XLA_FFI_Error_Create_Args error = {sizeof error, NULL, "no scratch memory",
                                           XLA_FFI_Error_Code_RESOURCE_EXHAUSTED};
        return error_create(&error);
    }
    args->data = ctx->scratch;
    ctx->scratch += args->size;
    ctx->free_bytes -= args->size;
    ++ctx->allocations;
    return NULL;
}

static XLA_FFI_Error* memory_free(XLA_FFI_DeviceMemory_Free_Args* args) {
    --args->ctx->allocations;
    return NULL;
}

static XLA_FFI_Api api(void) {
    XLA_FFI_Api result;
    memset(&result, 0, sizeof result);
    result.struct_size = XLA_FFI_Api_STRUCT_SIZE;
    result.api_version.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE;
    result.api_version.major_version = XLA_FFI_API_MAJOR;
    result.api_version.minor_version = XLA_FFI_API_MINOR;
    result.XLA_FFI_Error_Create = error_create;
    result.XLA_FFI_Error_GetMessage = error_get_message;
    result.XLA_FFI_Error_Destroy = error_destroy;
    result.XLA_FFI_Stream_Get = stream_get;
    result.XLA_FFI_DeviceMemory_Allocate = memory_allocate;
    result.XLA_FFI_DeviceMemory_Free = memory_free;
    return result;
}

static void set_buffer(XLA_FFI_Buffer* buffer, const Value* value) {
    memset(buffer, 0, sizeof *buffer);
    buffer->struct_size = XLA_FFI_Buffer_STRUCT_SIZE;
    buffer->dtype = (XLA_FFI_DataType)value->dtype;
    buffer->data = value->data;
    buffer->rank = value->rank;
    buffer->dims = value->dims;
}

/* Returns 0, or the error's code and its message. Attributes are sorted by name. -1: scratch memory was not
 * given back. */
int call_handler(XLA_FFI_Handler* handler, void* stream, void* scratch, size_t scratch_bytes,
                 const Value* args, int64_t arg_count, const Value* rets, int64_t ret_count,
                 const Value* attrs, int64_t attr_count, char* message, size_t capacity) {
    struct XLA_FFI_ExecutionContext ctx = {stream, scratch, scratch_bytes, 0};
    const XLA_FFI_Api functions = api();
    XLA_FFI_Buffer buffers[2 * most];
    XLA_FFI_ArgType arg_types[most];
    XLA_FFI_RetType ret_types[most];
    XLA_FFI_AttrType attr_types[most];
    XLA_FFI_ByteSpan spans[most], *names[most];
    XLA_FFI_Scalar scalars[most];
    XLA_FFI_Array arrays[most];
    void *arg_pointers[most], *ret_pointers[most], *attr_pointers[most];
    for (int64_t i = 0; i < arg_count; ++i) {
        set_buffer(&buffers[i], &args[i]);
        arg_types[i] = XLA_FFI_ArgType_BUFFER;
        arg_pointers[i] = &buffers[i];
    }
    for (int64_t i = 0; i < ret_count; ++i) {
        set_buffer(&buffers[most + i], &rets[i]);
        ret_types[i] = XLA_FFI_RetType_BUFFER;
        ret_pointers[i] = &buffers[most + i];
    }
    for (int64_t i = 0; i < attr_count; ++i) {
        spans[i].ptr = attrs[i].name;
        spans[i].len = strlen(attrs[i].name);
        names[i] = &spans[i];
        scalars[i].dtype = arrays[i].dtype = (XLA_FFI_DataType)attrs[i].dtype;
        scalars[i].value = arrays[i].data = attrs[i].data;
        arrays[i].size = attrs[i].rank < 0 ? 0 : (size_t)attrs[i].dims[0];
        attr_types[i] = attrs[i].rank < 0 ? XLA_FFI_AttrType_SCALAR : XLA_FFI_AttrType_ARRAY;
        attr_pointers[i] = attrs[i].rank < 0 ? (void*)&scalars[i] : (void*)&arrays[i];
    }
    XLA_FFI_CallFrame frame;
    memset(&frame, 0, sizeof frame);
    frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
    frame.api = &functions;
    frame.ctx = &ctx;
    frame.stage = XLA_FFI_ExecutionStage_EXECUTE;
    frame.args.struct_size = XLA_FFI_Args_STRUCT_SIZE;
    frame.args.size = arg_count;
    frame.args.types = arg_types;
    frame.args.args = arg_pointers;
    frame.rets.struct_size = XLA_FFI_Rets_STRUCT_SIZE;
    frame.rets.size = ret_count;
    frame.rets.types = ret_types;
    frame.rets.rets = ret_pointers;
    frame.attrs.struct_size = XLA_FFI_Attrs_STRUCT_SIZE;
    frame.attrs.size = attr_count;
    frame.attrs.types = attr_types;
    frame.attrs.names = names;
    frame.attrs.attrs = attr_pointers;
    XLA_FFI_Error* error = handler(&frame);
    if (error != NULL) {
        snprintf(message, capacity, "%s", error->message);
        return error->code;
    }
    return ctx.allocations == 0 ? 0 : -1;
}

/* Returns the handler's traits; -1 where it does not say. */
int handler_traits(XLA_FFI_Handler* handler) {
    const XLA_FFI_Api functions = api();
    XLA_FFI_Metadata metadata;
    XLA_FFI_Metadata_Extension extension;
    XLA_FFI_CallFrame frame;
    memset(&metadata, 0, sizeof metadata);
    memset(&extension, 0, sizeof extension);
    memset(&frame, 0, sizeof frame);
    metadata.struct_size = XLA_FFI_Metadata_STRUCT_SIZE;
    extension.extension_base.struct_size = XLA_FFI_Metadata_Extension_STRUCT_SIZE;
    extension.extension_base.type = XLA_FFI_Extension_Metadata;
    extension.metadata = &metadata;
    frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
    frame.api = &functions;
    frame.extension_start = &extension.extension_base;
    return handler(&frame) == NULL ? (int)metadata.traits : -1;
}
