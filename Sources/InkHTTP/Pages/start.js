// Before the first paint, so that a chosen theme does not flash; the rest after it. Not a module: those wait longer.
{
    const chosen = localStorage.getItem("ink-theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
    let begun = false;
    const begin = () => {
        if (begun) return;
        begun = true;
        import("/app.js");
    };
    addEventListener("DOMContentLoaded", () => {
        requestAnimationFrame(() => setTimeout(begin));
        // A page in the background has no frames.
        setTimeout(begin, 500);
    });
}
