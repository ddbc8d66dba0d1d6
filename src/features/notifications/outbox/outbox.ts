/** The outbox: what others may use of it. */
export { documentOf, textOf } from './message.ts'
export { type Addressee, addressees } from './outbox.queries.ts'
export { type Content, mailIn, type Recipient } from './outbox.service.ts'
export { readReplyAddress, type Thread } from './reply-address.ts'
export { sealToken } from './sealed-token.ts'
export { threadSeenBy } from './threads.service.ts'
export { readUnsubscription, type Unsubscription } from './unsubscribe-address.ts'
