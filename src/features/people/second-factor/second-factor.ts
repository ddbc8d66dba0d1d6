/** Second factors: what others may use of them. */
export { offerPasskeySignIn, type PasskeySignIn, userByPasskey } from './passkey-sign-in.service.ts'
export { addPasskey, askForPasskey, offerPasskey, takesPasskeys } from './passkeys.service.ts'
export { finishSignIn, openSignIn, pendingLasts_s, pendingSignIn } from './pending-sign-ins.service.ts'
export { showsProof } from './proof.service.ts'
export {
  isFactorCode,
  offerTotp,
  removePasskey,
  renewRecoveryCodes,
  type SecondFactorFacts,
  secondFactorOf,
  setUpTotp,
  showsFactor,
  turnOffByName,
  turnOffSecondFactor,
} from './second-factor.service.ts'
export { totpUri } from './totp.ts'
