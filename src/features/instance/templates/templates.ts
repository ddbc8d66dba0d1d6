/** Templates: what others may use of them. */
export { gitignores } from './gitignores.ts'
export { fillIn, licenses } from './licenses.ts'
