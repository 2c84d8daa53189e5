/** What the sealer asks of the store. */
export interface SealStore {
  /** Gives entries of the audit log that wait their places; for one sealer of the installation at a time. */
  seal(most: number): Promise<{ readonly sealed: number; readonly more: boolean }>
}
