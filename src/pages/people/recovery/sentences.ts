/** The sentences on the pages by which people get back into their accounts. */
import { translated } from '../../../html/sentences.ts'

export const sentences = translated({
  noMail: 'This server sends no mail. Ask an administrator to set a password, to confirm an address or to let you in.',
  onItsWay:
    'If there is an account with this address to which this applies, a message is on its way. It may take some minutes. ' +
    'Look among unwanted messages, too.',
  linkIsOver: 'This link has expired, or was used before. Ask for another one.',
  forgotten: 'We send you a link with which you choose another password. It goes to the primary address of your account.',
  unconfirmed: 'We send you a link with which you confirm that the address is yours.',
  locked:
    'After ten wrong passwords nobody signs in to an account from a new place for ten minutes. ' +
    'We send you a link with which you can do so at once.',
  confirming: 'Confirm that the message was meant for you. The address that it was sent to counts as yours from then on.',
  unlocking: 'You can sign in again as soon as you press the button.',
  passwordSet: 'Your password has been changed, and all your sessions have ended. Sign in with the new one.',
  confirmed: 'Email address confirmed',
  unlocked: 'Your account has been unlocked. Sign in.',
  almostThere: 'We have sent you a message. Follow the link in it to confirm your address; then sign in.',
  passwordsDiffer: 'The passwords do not match.',
} as const)
