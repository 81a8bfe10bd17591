/** What the shop sells, in dollars. */
export const products = {
  chair: { name: 'Garden chair', price: 89 },
  lamp: { name: 'Desk lamp', price: 42 },
  shelf: { name: 'Oak shelf', price: 129 },
  blanket: { name: 'Wool blanket', price: 65 },
  mug: { name: 'Stoneware mug', price: 18 },
  plant: { name: 'Potted fern', price: 24 },
};
const SHIPPING = 9;

/** @returns {Record<string, number>} quantity by product; a new visitor already has something in the cart */
export function readCart() {
  const text = sessionStorage.getItem('shop-cart');
  return text === null ? { chair: 2, lamp: 1 } : JSON.parse(text);
}

/** @param {Record<string, number>} cart */
export function writeCart(cart) {
  sessionStorage.setItem('shop-cart', JSON.stringify(cart));
}

/** @param {Record<string, number>} cart */
export function totalOf(cart) {
  const sum = Object.entries(cart).reduce(
    (all, [id, pieces]) => all + (products[id]?.price ?? 0) * pieces,
    0,
  );
  return sum === 0 ? 0 : sum + SHIPPING;
}
