/** Checks of CI files: what other features may use. */
export { type Linted, lintIn } from './lint.service.ts'
