// Before the first paint, so that a chosen theme does not flash; the rest begins after it. Not a module: those wait
// longer. What a person does before the rest is there is kept.
{
    const root = document.documentElement, key = "ink-theme";
    // Browsers may allow no storage; the choice lasts as long as the page then.
    const stored = (use) => { try { return use(localStorage); } catch { return null; } };
    const chosen = stored((storage) => storage.getItem(key));
    if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
    let begun = false;
    const begin = () => {
        if (begun) return;
        begun = true;
        import("/app.js");
    };
    addEventListener("DOMContentLoaded", () => {
        const theme = document.getElementById("theme");
        theme.value = root.dataset.theme ?? "";
        theme.addEventListener("change", () => {
            if (theme.value) root.dataset.theme = theme.value; else delete root.dataset.theme;
            stored((storage) => theme.value ? storage.setItem(key, theme.value) : storage.removeItem(key));
        });
        document.getElementById("export").addEventListener("click", () => { root.dataset.wanted = "export"; });
        requestAnimationFrame(() => setTimeout(begin));
        // A page in the background has no frames.
        setTimeout(begin, 500);
    });
}
