/** The store port of the sealer. */
export interface SealStore {
  /**
   * Seals waiting entries of the audit log into their chains; one sealer of the installation runs
   * at a time.
   */
  seal(most: number): Promise<{ readonly sealed: number; readonly more: boolean }>
}
