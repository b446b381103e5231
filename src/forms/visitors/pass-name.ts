/** Name of the form field with a pass, and of the query parameter with a transfer. */
export const passName = 'campanile_visitor'
