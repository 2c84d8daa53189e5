/** Counts what each tenant has in progress here, such as streams or waiting requests. */
export class InFlight {
  readonly #counts = new Map<number, number>()

  /**
   * Counts one for the tenant; null is the installation, which is not counted.
   * @returns a function to call once at the end, or null when the tenant has reached its limit
   */
  take(tenantId: number | null, most: number): (() => void) | null {
    if (tenantId === null) return () => undefined
    const count = this.#counts.get(tenantId) ?? 0
    if (count >= most) return null
    this.#counts.set(tenantId, count + 1)
    return () => {
      const left = (this.#counts.get(tenantId) ?? 1) - 1
      if (left > 0) this.#counts.set(tenantId, left)
      else this.#counts.delete(tenantId)
    }
  }
}
