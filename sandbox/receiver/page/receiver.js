const list = document.querySelector('#arrived');

/** What the server has already escaped. */
async function show() {
  const answer = await fetch('/arrived');
  if (list !== null) list.innerHTML = await answer.text();
}

new EventSource('/stream').addEventListener('message', () => void show());
