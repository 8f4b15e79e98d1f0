/** BMCs by the start of the vendor class (option 60) with which they ask for their own address. */
const VENDORS: readonly (readonly [start: string, name: string])[] = [
  // iDRAC User's Guide, "Configuring servers and server components using Auto Config".
  ['iDRAC', 'Dell iDRAC'],
  // NVIDIA's Bare Metal Manager recognizes these two.
  ['CPQRIB', 'HPE iLO'],
  ['NVIDIA/BF/BMC', 'NVIDIA BlueField'],
];

/** Returns the product, or undefined for a vendor class that is not known as that of a BMC. Many BMCs send none. */
export function bmcVendorOf(vendorClass: string): string | undefined {
  return VENDORS.find(([start]) => vendorClass.startsWith(start))?.[1];
}
