// Forms with data-passkey: the service gives the options, the browser makes or uses a
// passkey, and the form is sent with its answer.
"use strict";
(() => {
  const api = window.PublicKeyCredential;
  if (!api?.parseRequestOptionsFromJSON) return;
  const ceremonies = {
    create: (o) => navigator.credentials.create({ publicKey: api.parseCreationOptionsFromJSON(o) }),
    get: (o) => navigator.credentials.get({ publicKey: api.parseRequestOptionsFromJSON(o) }),
  };
  // The texts are attributes of the form.
  const reasons = { NotAllowedError: "cancelled", InvalidStateError: "known", SecurityError: "elsewhere" };
  async function answer(form) {
    const reply = await fetch(form.dataset.options, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    if (!reply.ok) throw new Error(form.dataset.refused);
    const { publicKey } = await reply.json();
    return (await ceremonies[form.dataset.passkey](publicKey)).toJSON();
  }
  for (const form of document.querySelectorAll("form[data-passkey]")) {
    form.hidden = false;
    form.addEventListener("submit", async (e) => {
      e.preventDefault();
      const button = form.querySelector("button");
      const says = form.querySelector("[role=alert]");
      button.disabled = true;
      says.textContent = "";
      try {
        form.elements.answer.value = JSON.stringify(await answer(form));
        form.submit();
      } catch (error) {
        says.textContent = form.dataset[reasons[error.name]] ?? error.message;
        button.disabled = false;
      }
    });
  }
})();
