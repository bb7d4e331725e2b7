// The files of the dashboard, from Sources/InkHTTP/Pages. C embeds them in a moment; as array literals in Swift they would
// take a minute to compile.
#include "ink_pages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "../InkHTTP/Pages/index.html"
};
static const unsigned char app_css[] = {
#embed "../InkHTTP/Pages/app.css"
};
static const unsigned char openapi_json[] = {
#embed "../InkHTTP/Pages/openapi.json"
};
static const unsigned char api_js[] = {
#embed "../InkHTTP/Pages/api.js"
};
static const unsigned char app_js[] = {
#embed "../InkHTTP/Pages/app.js"
};
static const unsigned char batch_js[] = {
#embed "../InkHTTP/Pages/batch.js"
};
static const unsigned char dom_js[] = {
#embed "../InkHTTP/Pages/dom.js"
};
static const unsigned char farm_js[] = {
#embed "../InkHTTP/Pages/farm.js"
};
static const unsigned char figures_js[] = {
#embed "../InkHTTP/Pages/figures.js"
};
static const unsigned char job_js[] = {
#embed "../InkHTTP/Pages/job.js"
};
static const unsigned char list_js[] = {
#embed "../InkHTTP/Pages/list.js"
};
static const unsigned char patterns_js[] = {
#embed "../InkHTTP/Pages/patterns.js"
};
static const unsigned char press_js[] = {
#embed "../InkHTTP/Pages/press.js"
};
static const unsigned char pulse_js[] = {
#embed "../InkHTTP/Pages/pulse.js"
};
static const unsigned char start_js[] = {
#embed "../InkHTTP/Pages/start.js"
};
static const unsigned char stream_js[] = {
#embed "../InkHTTP/Pages/stream.js"
};
static const unsigned char submit_js[] = {
#embed "../InkHTTP/Pages/submit.js"
};
static const unsigned char viewer_js[] = {
#embed "../InkHTTP/Pages/viewer.js"
};
static const unsigned char workers_js[] = {
#embed "../InkHTTP/Pages/workers.js"
};

#define HTML "text/html; charset=utf-8"
#define CSS "text/css; charset=utf-8"
#define JSON "application/json"
#define SCRIPT "text/javascript; charset=utf-8"

static const struct ink_page pages[] = {
    {"/", HTML, index_html, sizeof(index_html)},
    {"/app.css", CSS, app_css, sizeof(app_css)},
    {"/openapi.json", JSON, openapi_json, sizeof(openapi_json)},
    {"/api.js", SCRIPT, api_js, sizeof(api_js)},
    {"/app.js", SCRIPT, app_js, sizeof(app_js)},
    {"/batch.js", SCRIPT, batch_js, sizeof(batch_js)},
    {"/dom.js", SCRIPT, dom_js, sizeof(dom_js)},
    {"/farm.js", SCRIPT, farm_js, sizeof(farm_js)},
    {"/figures.js", SCRIPT, figures_js, sizeof(figures_js)},
    {"/job.js", SCRIPT, job_js, sizeof(job_js)},
    {"/list.js", SCRIPT, list_js, sizeof(list_js)},
    {"/patterns.js", SCRIPT, patterns_js, sizeof(patterns_js)},
    {"/press.js", SCRIPT, press_js, sizeof(press_js)},
    {"/pulse.js", SCRIPT, pulse_js, sizeof(pulse_js)},
    {"/start.js", SCRIPT, start_js, sizeof(start_js)},
    {"/stream.js", SCRIPT, stream_js, sizeof(stream_js)},
    {"/submit.js", SCRIPT, submit_js, sizeof(submit_js)},
    {"/viewer.js", SCRIPT, viewer_js, sizeof(viewer_js)},
    {"/workers.js", SCRIPT, workers_js, sizeof(workers_js)},
};

size_t ink_page_count(void) { return sizeof(pages) / sizeof(pages[0]); }

struct ink_page ink_page_at(size_t index) { return pages[index]; }
