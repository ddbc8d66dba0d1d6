/** Checks of CI files: what others may use of them. */
export { type Linted, lintIn } from './lint.service.ts'
