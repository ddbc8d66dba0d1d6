/** The outbox: what other features may use. */
export { type Addressee, addressees } from './outbox.queries.ts'
export { type Content, mailIn, type Recipient } from './outbox.service.ts'
export { sealToken } from './sealed-token.ts'
export { readUnsubscription, type Unsubscription } from './unsubscribe-address.ts'
