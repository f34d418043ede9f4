// Runs before the first paint (plain script in <head>): the reader's choice of theme and keys, without a flash.
(function () {
  try {
    var theme = localStorage.getItem("litledger.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
    if (localStorage.getItem("litledger.keys") === "off") document.documentElement.dataset.keys = "off";
  } catch (error) {
    // Storage is blocked: the system's theme and working keys are the defaults.
  }
})();
