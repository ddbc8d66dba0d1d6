/** What of accounts mail is written about, a line each. */
import { inSameTransaction, type Subscribers } from '../../../domain-events/domain-events.ts'
import {
  mailOfAddress,
  mailOfGpgKey,
  mailOfKey,
  mailOfPassword,
  mailOfSignIn,
  mailOfToken,
  mailToNewAddress,
  mailToNewUser,
  mailToWantedAddress,
} from './account-mails.subscribers.ts'

export const accountMailSubscribers: Subscribers = {
  user_created: [inSameTransaction(mailToNewUser)],
  email_added: [inSameTransaction(mailToNewAddress)],
  email_change_requested: [inSameTransaction(mailToWantedAddress)],
  user_email_changed: [inSameTransaction(mailOfAddress)],
  user_password_changed: [inSameTransaction(mailOfPassword)],
  key_added: [inSameTransaction(mailOfKey)],
  gpg_key_added: [inSameTransaction(mailOfGpgKey)],
  personal_token_created: [inSameTransaction(mailOfToken)],
  signed_in_from_new_network: [inSameTransaction(mailOfSignIn)],
}
