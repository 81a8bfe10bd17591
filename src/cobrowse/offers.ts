import type { CobrowseClient, Offers, Operation } from './client.ts';

/** The operations that a deployment has. */
export type Has = { readonly [Name in Operation]?: CobrowseClient[Name] | undefined };

/** What a deployment offers besides operations, see {@link Offers}. */
export type OtherOffers = Omit<Offers, Operation>;

/** A deployment offers the operations that it has. */
export function offersOf(has: Has): Pick<Offers, Operation> {
  return {
    usage: has.usage !== undefined,
    listVisitors: has.listVisitors !== undefined,
    visitor: has.visitor !== undefined,
    createWatchLink: has.createWatchLink !== undefined,
    stopSession: has.stopSession !== undefined,
    lookupAgent: has.lookupAgent !== undefined,
    deleteVisitor: has.deleteVisitor !== undefined,
    deleteOfflineVisitors: has.deleteOfflineVisitors !== undefined,
    createProxyLink: has.createProxyLink !== undefined,
    authorizeOnPremise: has.authorizeOnPremise !== undefined,
  };
}
