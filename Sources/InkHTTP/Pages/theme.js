// Before the first paint, so that a chosen theme does not flash. Not a module: modules wait for the document.
{
    const chosen = localStorage.getItem("ink-theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
}
