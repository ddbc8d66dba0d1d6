/** Suggestions, applied: what others may use of them. */
export { applySuggestions } from './suggestions.service.ts'
