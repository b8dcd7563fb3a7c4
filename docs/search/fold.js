/* Search without accents: what is indexed and what is asked are folded alike. This stands before
   Material's search worker, and meets lunr, which the worker keeps as `self.lunr`, when it is set. */
(function () {
  var fold = function (text) {
    return text.normalize("NFD").replace(/[\u0300-\u036f]/g, "");
  };
  var lunr;
  Object.defineProperty(self, "lunr", {
    configurable: true,
    get: function () { return lunr; },
    set: function (value) {
      var run = value.Pipeline.prototype.run;
      value.Pipeline.prototype.run = function (tokens) {
        tokens.forEach(function (token) { token.str = fold(token.str); });
        return run.call(this, tokens);
      };
      lunr = value;
    },
  });
  self.addEventListener("message", function (event) {
    if (event.data && typeof event.data.data === "string") {
      event.data.data = fold(event.data.data).replace(
        /\b[a-z]+(?:-[a-z]+)*-\d{3}\b/gi,
        function (id) { return id.toUpperCase(); }
      );
    }
  });
})();
