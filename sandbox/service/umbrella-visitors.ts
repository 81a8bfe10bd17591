import type { SeedVisitor } from './visitor.ts';

/** The customers of the account that the sandbox's second workspace can connect. One has the id of another account's. */
export const umbrellaVisitors: readonly SeedVisitor[] = [
  {
    short_id: 'jane4821',
    identities: ['Jane Umbrella'],
    email: 'jane@umbrella.example',
    is_online: true,
    stays: true,
    lookup_code: '2211',
    device_type: 'desktop',
    device_name: 'PC',
    browser_name: 'Firefox',
  },
  {
    short_id: 'omar7',
    identities: ['Omar Haddad'],
    email: 'omar@umbrella.example',
    is_online: true,
    lookup_code: '7340',
    device_type: 'mobile',
    device_name: 'Pixel',
    browser_name: 'Chrome',
  },
];
