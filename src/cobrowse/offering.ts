import type { CobrowseClient, Offers, Operation } from './client.ts';
import { CobrowseError } from './errors.ts';

/** The operations that a deployment has. */
type Has = { readonly [Name in Operation]?: CobrowseClient[Name] | undefined };

/** What else a deployment has, see {@link Offers}. */
type Extras = Omit<Offers, Operation>;

/** A client of these operations: what it offers follows from what it has, and anything else rejects. */
export function offering(has: Has, extras: Extras): CobrowseClient {
  return {
    offers: { ...offersOf(has), ...extras },
    usage: has.usage ?? refuse('usage'),
    listVisitors: has.listVisitors ?? refuse('listVisitors'),
    visitor: has.visitor ?? refuse('visitor'),
    createWatchLink: has.createWatchLink ?? refuse('createWatchLink'),
    stopSession: has.stopSession ?? refuse('stopSession'),
    lookupAgent: has.lookupAgent ?? refuse('lookupAgent'),
    deleteVisitor: has.deleteVisitor ?? refuse('deleteVisitor'),
    deleteOfflineVisitors: has.deleteOfflineVisitors ?? refuse('deleteOfflineVisitors'),
    createProxyLink: has.createProxyLink ?? refuse('createProxyLink'),
    authorizeOnPremise: has.authorizeOnPremise ?? refuse('authorizeOnPremise'),
  };
}

function refuse(name: Operation) {
  return async () => {
    throw new CobrowseError('not-offered', `This deployment does not offer ${name}.`);
  };
}

function offersOf(has: Has): Omit<Offers, keyof Extras> {
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
