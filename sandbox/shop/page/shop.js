import { products, readCart, totalOf, writeCart } from './cart.js';

const byId = (id) => document.getElementById(id);

function showCart() {
  const cart = readCart();
  const pieces = Object.values(cart).reduce((all, count) => all + count, 0);
  const count = byId('count');
  count.hidden = pieces === 0;
  count.textContent = String(pieces);
  for (const place of document.querySelectorAll('[data-total]')) place.textContent = `$${totalOf(cart)}`;
  const lines = byId('lines');
  if (lines === null) return;
  lines.replaceChildren(...Object.entries(cart).map(([id, number]) => line(cart, id, number)));
  for (const id of ['sum', 'to-checkout']) byId(id).hidden = pieces === 0;
  byId('empty').hidden = pieces > 0;
}

function line(cart, id, number) {
  const { name, price } = products[id];
  const row = document.createElement('li');
  const title = document.createElement('span');
  title.textContent = `${name}, ${number} ${number === 1 ? 'piece' : 'pieces'}`;
  const cost = document.createElement('span');
  cost.textContent = `$${price * number}`;
  const remove = document.createElement('button');
  remove.type = 'button';
  remove.textContent = 'Remove';
  remove.setAttribute('aria-label', `Remove ${name}`);
  remove.addEventListener('click', () => {
    delete cart[id];
    writeCart(cart);
    showCart();
  });
  row.append(title, cost, remove);
  return row;
}

for (const button of document.querySelectorAll('[data-add]')) {
  button.addEventListener('click', () => {
    const cart = readCart();
    const id = button.dataset.add;
    cart[id] = (cart[id] ?? 0) + 1;
    writeCart(cart);
    showCart();
    byId('said').textContent = `${products[id].name} is in your cart.`;
  });
}

byId('checkout')?.addEventListener('submit', (event) => {
  event.preventDefault();
  const isFilled = ['name', 'card'].every((id) => byId(id).value.trim() !== '');
  if (isFilled && byId('terms').checked) {
    writeCart({});
    location.assign('/thanks');
    return;
  }
  // The kind of message that makes people call: it doesn't say what.
  const problem = byId('problem');
  problem.hidden = false;
  problem.textContent = 'We can’t take your payment. Something is missing.';
  event.target.querySelector('.pay').scrollIntoView({ block: 'nearest' });
});

/** @param {{ code: string | null } | undefined} visit */
function showCode(visit) {
  const code = visit?.code ?? '····';
  for (const place of document.querySelectorAll('[data-agent-code]')) place.textContent = code;
}
document.addEventListener('cobrowse:ready', ({ detail }) => showCode(detail));
showCode(window.cobrowse);

showCart();
if (sessionStorage.getItem('shop-name') !== null) void import('./story.js').then(({ play }) => play());
