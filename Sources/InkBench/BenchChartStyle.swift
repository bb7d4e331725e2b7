/// How the parts of a benchmark's chart look: colours that people tell apart whatever colours they see (after Okabe and
/// Ito), on a light or a dark ground.
enum BenchChartStyle {
    static let css = """
        text { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328; }
        .card { fill: #ffffff; stroke: #d0d7de; }
        .title { font-size: 20px; font-weight: 600; }
        .group { font-size: 15px; font-weight: 600; }
        .name { font-size: 13px; }
        .small { font-size: 12px; fill: #59636e; }
        .value, .ground { font-size: 12px; font-weight: 600; }
        .ground { fill: #ffffff; stroke: #ffffff; stroke-width: 4px; }
        .share { font-size: 11px; fill: #111418; }
        .grid { stroke: #d8dee4; stroke-width: 1; }
        .tier { stroke: #b42318; stroke-width: 1.5; stroke-dasharray: 5 4; }
        .tierName { font-size: 11px; fill: #b42318; }
        .bar { fill: #3f6fc4; }
        .whisker { stroke: #1f2328; stroke-width: 1.5; }
        .earlier { fill: #ffffff; stroke: #1f2328; stroke-width: 1.5; }
        .read { fill: #a0a7b0; }
        .decode { fill: #f0d64b; }
        .prepare { fill: #d685b0; }
        .raster { fill: #62b4e6; }
        .composite { fill: #2fb28a; }
        .encode { fill: #eea236; }
        .stitch { fill: #b7654a; }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3; }
          .card { fill: #0d1117; stroke: #30363d; }
          .small { fill: #9198a1; }
          .ground { fill: #0d1117; stroke: #0d1117; }
          .share { fill: #111418; }
          .grid { stroke: #262c34; }
          .tier { stroke: #ff8f85; }
          .tierName { fill: #ff8f85; }
          .bar { fill: #6c97e6; }
          .whisker { stroke: #e6edf3; }
          .earlier { fill: #0d1117; stroke: #e6edf3; }
        }
        """
}
