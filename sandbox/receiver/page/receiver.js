const list = document.querySelector('#arrived');

/** What the server has already escaped. */
async function show() {
  const answer = await fetch('/arrived');
  if (list !== null) list.innerHTML = await answer.text();
}

const stream = new EventSource('/stream');
// Something may have arrived before it was listening.
for (const heard of ['open', 'message']) stream.addEventListener(heard, () => void show());
