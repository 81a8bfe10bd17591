// Jane plays her part by herself: she agrees, can't pay, and ticks the box once it's pointed out.

/** @param {number} ms */
const pause = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

const agree = ({ answer }) => void pause(2_500).then(() => answer(true));
document.addEventListener('cobrowse:asked', ({ detail }) => agree(detail));
if (window.cobrowse?.asked) agree(window.cobrowse.asked);

/** @param {string} id @param {string} text */
async function typeSlowly(id, text) {
  const field = document.getElementById(id);
  if (field.value !== '') return;
  for (const letter of text) {
    field.value += letter;
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    await pause(70);
  }
}

/** The story on the open page. */
export async function play() {
  const form = document.getElementById('checkout');
  if (form === null) return;
  document.addEventListener('cobrowse:highlight', ({ target }) => {
    if (target.closest('#terms-line') !== null) void tickAndPay(form);
  });
  await pause(5_000);
  await typeSlowly('name', 'Jane Cooper');
  await typeSlowly('card', '4242 4242 4242 4242');
  await pause(600);
  if (!document.getElementById('terms').checked) form.requestSubmit();
}

async function tickAndPay(form) {
  const box = document.getElementById('terms');
  await pause(1_400);
  if (!box.checked) box.click();
  await pause(1_600);
  form.requestSubmit();
}
