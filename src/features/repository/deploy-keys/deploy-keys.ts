/** Deploy keys: what others may use of them. */
export { findOpening } from './deploy-keys.service.ts'
