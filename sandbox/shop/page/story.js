// In the sandbox's watch tab the visitor fills in the checkout by themselves. With --story they do the rest, too: they agree,
// can't pay, and tick the box once it's pointed out.

const isStory = sessionStorage.getItem('shop-story') !== null;

/** @param {number} ms */
const pause = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

const agree = ({ answer }) => void pause(2_500).then(() => answer(true));
if (isStory) document.addEventListener('cobrowse:asked', ({ detail }) => agree(detail));
if (isStory && window.cobrowse?.asked) agree(window.cobrowse.asked);

/** Stops where somebody else types. @param {string} id @param {string} text */
async function typeSlowly(id, text) {
  const field = document.getElementById(id);
  for (let typed = 0; typed < text.length && field.value === text.slice(0, typed); typed += 1) {
    field.value += text[typed];
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    await pause(70);
  }
}

/** The story on the open page: once an agent sees it, so that they see that what is typed is masked. */
export async function play() {
  const form = document.getElementById('checkout');
  if (form === null) return;
  if (isStory)
    document.addEventListener('cobrowse:highlight', ({ target }) => {
      if (target.closest('#terms-line') !== null) void tickAndPay(form);
    });
  if (window.cobrowse?.isSeen !== true)
    await new Promise((resolve) => {
      document.addEventListener('cobrowse:seen', resolve, { once: true });
    });
  await pause(1_200);
  await typeSlowly('name', sessionStorage.getItem('shop-name') ?? '');
  await typeSlowly('card', '4242 4242 4242 4242');
  await pause(600);
  if (isStory && !document.getElementById('terms').checked) form.requestSubmit();
}

async function tickAndPay(form) {
  const box = document.getElementById('terms');
  await pause(1_400);
  if (!box.checked) box.click();
  await pause(1_600);
  form.requestSubmit();
}
