// Functions of libraries that are loaded when one of their functions is first called. A caller is linked to a few
// instructions under the function's name, which jump to the address in the function's entry. Until the function has been
// found that is `first`, which has it found, its address stored, and jumps there with all arguments as they were.

#if defined(__x86_64__)

.macro jump_through
    leaq 9b(%rip), %r11
    jmp *(%r11)
.endm

    .text
first:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    // All that may hold an argument; %rax has the number of vectors where arguments vary.
.irp register, rdi, rsi, rdx, rcx, r8, r9, rax, r11
    pushq %\register
.endr
    subq $128, %rsp
.irp number, 0, 1, 2, 3, 4, 5, 6, 7
    movups %xmm\number, 16 * \number(%rsp)
.endr
    movq %r11, %rdi
    call ink_lazy_find
.irp number, 0, 1, 2, 3, 4, 5, 6, 7
    movups 16 * \number(%rsp), %xmm\number
.endr
    addq $128, %rsp
.irp register, r11, rax, r9, r8, rcx, rdx, rsi, rdi
    popq %\register
.endr
    popq %rbp
    .cfi_def_cfa %rsp, 8
    jmp *(%r11)
    .cfi_endproc

#elif defined(__aarch64__)

.macro jump_through
    adrp x16, 9b
    add x16, x16, :lo12:9b
    ldar x17, [x16]
    br x17
.endm

    .text
first:
    .cfi_startproc
    stp x29, x30, [sp, #-224]!
    .cfi_def_cfa_offset 224
    .cfi_offset x29, -224
    .cfi_offset x30, -216
    mov x29, sp
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    // Where a large result goes, and the entry.
    stp x8, x16, [sp, #80]
    stp q0, q1, [sp, #96]
    stp q2, q3, [sp, #128]
    stp q4, q5, [sp, #160]
    stp q6, q7, [sp, #192]
    mov x0, x16
    bl ink_lazy_find
    ldp q6, q7, [sp, #192]
    ldp q4, q5, [sp, #160]
    ldp q2, q3, [sp, #128]
    ldp q0, q1, [sp, #96]
    ldp x8, x16, [sp, #80]
    ldp x6, x7, [sp, #64]
    ldp x4, x5, [sp, #48]
    ldp x2, x3, [sp, #32]
    ldp x0, x1, [sp, #16]
    ldp x29, x30, [sp], #224
    .cfi_def_cfa sp, 0
    ldr x17, [x16]
    br x17
    .cfi_endproc

#else
#error "Entry and jump are to be written for this processor"
#endif

// library FILE, PACKAGE, FUNCTION...
.macro library file, package, functions:vararg
    .pushsection .rodata
6:  .asciz "\file"
7:  .asciz "\package"
    .popsection
.irp function, \functions
    .pushsection .rodata
8:  .asciz "\function"
    .popsection
    .data
    .p2align 3
    // As `ink_lazy_entry`.
9:  .quad first, 8b, 6b, 7b
    .text
    .p2align 4
    .globl \function
    // Not to be found by other libraries, which have the function itself.
    .hidden \function
    .type \function, %function
\function:
    jump_through
    .size \function, . - \function
.endr
.endm

    .data
    .p2align 3
    .globl ink_lazy_entries
    .hidden ink_lazy_entries
ink_lazy_entries:

// A function that is called but not here is not found by the linker. Libraries whose soname differs between distributions
// (libjpeg, libzip) are linked. Scripts/deb.sh reads this list: names of functions on lines of their own.
library libzmq.so.5, libzmq5, \
    zmq_bind, zmq_close, zmq_connect, zmq_ctx_new, zmq_ctx_term, zmq_curve_keypair, zmq_curve_public, zmq_errno, \
    zmq_getsockopt, zmq_msg_close, zmq_msg_data, zmq_msg_gets, zmq_msg_init, zmq_msg_init_data, zmq_msg_more, \
    zmq_msg_recv, zmq_msg_send, zmq_msg_size, zmq_poll, zmq_recv, zmq_send, zmq_setsockopt, zmq_socket, \
    zmq_socket_monitor, zmq_strerror, zmq_version, zmq_z85_decode, zmq_z85_encode

library libmicrohttpd.so.12, libmicrohttpd12, \
    MHD_add_response_header, MHD_create_response_from_buffer, MHD_create_response_from_callback, \
    MHD_create_response_from_fd_at_offset64, MHD_destroy_response, MHD_get_connection_info, \
    MHD_get_connection_values_n, MHD_get_daemon_info, MHD_queue_response, MHD_quiesce_daemon, MHD_start_daemon, \
    MHD_stop_daemon

library libharfbuzz.so.0, libharfbuzz0b, \
    hb_blob_create, hb_blob_destroy, hb_blob_get_empty, hb_buffer_add_codepoints, hb_buffer_allocation_successful, \
    hb_buffer_create, hb_buffer_destroy, hb_buffer_get_glyph_infos, hb_buffer_get_glyph_positions, \
    hb_buffer_set_direction, hb_buffer_set_language, hb_buffer_set_script, hb_draw_funcs_create, hb_draw_funcs_destroy, \
    hb_draw_funcs_set_cubic_to_func, hb_draw_funcs_set_line_to_func, hb_draw_funcs_set_move_to_func, \
    hb_draw_funcs_set_quadratic_to_func, hb_face_count, hb_face_create, hb_face_destroy, hb_face_get_glyph_count, \
    hb_face_get_upem, hb_font_create, hb_font_destroy, hb_font_get_glyph_shape, hb_font_get_h_extents, \
    hb_font_get_nominal_glyph, hb_font_set_scale, hb_font_set_variations, hb_language_from_string, \
    hb_ot_color_has_layers, hb_ot_color_has_png, hb_ot_color_has_svg, hb_ot_name_get_utf8, hb_ot_var_has_data, \
    hb_script_from_iso15924_tag, hb_script_to_iso15924_tag, hb_shape, hb_style_get_value, hb_unicode_funcs_get_default, \
    hb_unicode_general_category, hb_unicode_script, hb_version_string

library libtiff.so.6, libtiff6, \
    TIFFClientOpenExt, TIFFClose, TIFFComputeStrip, TIFFComputeTile, TIFFGetField, TIFFGetFieldDefaulted, \
    TIFFGetVersion, TIFFIsCODECConfigured, TIFFIsTiled, TIFFOpenOptionsAlloc, TIFFOpenOptionsFree, \
    TIFFOpenOptionsSetErrorHandlerExtR, TIFFOpenOptionsSetMaxSingleMemAlloc, TIFFOpenOptionsSetWarningHandlerExtR, \
    TIFFReadEncodedStrip, TIFFReadEncodedTile, TIFFReadScanline, TIFFScanlineSize, TIFFSetField, TIFFTileRowSize, \
    TIFFTileSize, TIFFVStripSize

library libsqlite3.so.0, libsqlite3-0, \
    sqlite3_bind_blob, sqlite3_bind_int64, sqlite3_bind_null, sqlite3_bind_text, sqlite3_bind_zeroblob, \
    sqlite3_busy_timeout, sqlite3_changes, sqlite3_clear_bindings, sqlite3_close, sqlite3_column_blob, \
    sqlite3_column_bytes, sqlite3_column_int64, sqlite3_column_text, sqlite3_column_type, sqlite3_create_function_v2, \
    sqlite3_errmsg, sqlite3_exec, sqlite3_finalize, sqlite3_get_autocommit, sqlite3_libversion, sqlite3_open_v2, \
    sqlite3_prepare_v3, sqlite3_reset, sqlite3_result_int, sqlite3_step, sqlite3_system_errno, sqlite3_value_bytes, \
    sqlite3_value_text

library libwebp.so.7, libwebp7, \
    WebPConfigInitInternal, WebPConfigLosslessPreset, WebPDecode, WebPEncode, WebPFree, WebPFreeDecBuffer, \
    WebPGetDecoderVersion, WebPGetFeaturesInternal, WebPInitDecoderConfigInternal, WebPMemoryWrite, \
    WebPMemoryWriterClear, WebPMemoryWriterInit, WebPPictureFree, WebPPictureImportRGB, WebPPictureImportRGBA, \
    WebPPictureInitInternal

library libwebpdemux.so.2, libwebpdemux2, \
    WebPDemuxDelete, WebPDemuxGetChunk, WebPDemuxGetFrame, WebPDemuxGetI, WebPDemuxInternal, \
    WebPDemuxReleaseChunkIterator, WebPDemuxReleaseIterator

library libgif.so.7, libgif7, \
    DGifCloseFile, DGifExtensionToGCB, DGifGetExtension, DGifGetExtensionNext, DGifGetImageDesc, DGifGetLine, \
    DGifGetRecordType, DGifOpen, GifErrorString

library liblcms2.so.2, liblcms2-2, \
    cmsCloseProfile, cmsCreateContext, cmsCreateLab4ProfileTHR, cmsCreateTransformTHR, cmsCreate_sRGBProfileTHR, \
    cmsDeleteContext, cmsDeleteTransform, cmsDoTransform, cmsGetColorSpace, cmsGetDeviceClass, cmsGetEncodedCMMversion, \
    cmsGetProfileInfoASCII, cmsGetTransformInputFormat, cmsOpenProfileFromMemTHR

    .data
    .globl ink_lazy_entries_end
    .hidden ink_lazy_entries_end
ink_lazy_entries_end:

    .section .note.GNU-stack, "", %progbits
