/** Tokens that are sent by mail: what other features may use. */
export type { TokenPurpose } from './account-tokens.queries.ts'
export {
  confirmEmail,
  getsLinks,
  isGoodToken,
  issueAccountToken,
  lifeOfToken_h,
  resetPassword,
  unlockSignIn,
} from './account-tokens.service.ts'
