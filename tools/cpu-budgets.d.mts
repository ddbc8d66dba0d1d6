export const usual_s: number
export const whole_s: number
export function exceeded(files: Array<{ name: string; cpu_s: number; budget_s: number }>, sum_s: number, others: number): string[]
