/** The stops of the museum in the sample conversation. All are invented. */
export interface Station {
  readonly number: number;
  readonly title: string;
  readonly room: string;
  /** Year in which the exhibit was made. */
  readonly year: number;
  readonly seconds: number;
}

const ROWS = [
  "Gatehouse clock|Yard|1864|70",
  "The founder's ledger|Office|1866|95",
  "Time stamps of the night shift|Office|1902|60",
  "Sand from the fjord|Mixing room|1871|85",
  "Potash barrels|Mixing room|1869|65",
  "The mixing trough|Mixing room|1874|75",
  "Pot furnace|Furnace hall|1887|140",
  "Blowpipes|Furnace hall|1880|90",
  "The gaffer's chair|Furnace hall|1883|80",
  "Children at the doors|Furnace hall|1891|120",
  "Annealing tunnel|Furnace hall|1896|100",
  "Lamp chimneys|Lamp room|1889|85",
  "Opal shades|Lamp room|1904|90",
  "Ship lanterns|Lamp room|1899|110",
  "The lighthouse lens|Lamp room|1908|150",
  "Cutting wheels|Cutting shop|1893|80",
  "Copper wheels for engraving|Cutting shop|1911|95",
  "A bowl for the king|Cutting shop|1906|105",
  "The dust that killed|Cutting shop|1920|130",
  "Strike of the cutters|Cutting shop|1913|125",
  "Acid room|Cellar|1898|75",
  "Ice store|Cellar|1870|60",
  "The flood line|Cellar|1921|70",
  "Coal tunnel|Cellar|1875|90",
  "Packing with straw|Loft|1868|65",
  "Labels in five languages|Loft|1910|70",
  "Pattern books|Loft|1878|100",
  "The sample cabinet|Loft|1885|115",
  "Women of the loft|Loft|1916|120",
  "Wartime jars|Loft|1943|80",
  "Radio valves|Annex|1934|95",
  "Neon letters|Annex|1951|85",
  "The last order|Annex|1976|110",
  "Closing day|Annex|1977|135",
  "Voices of the village|Annex|1979|150",
  "Sweets jar of the porter|Gatehouse|1928|55",
  "The whistle|Gatehouse|1882|45",
  "Garden of shards|Yard|1981|75",
];

export const STATIONS: readonly Station[] = ROWS.map((row, place) => {
  const [title = "", room = "", year, seconds] = row.split("|");
  return { number: place + 1, title, room, year: Number(year), seconds: Number(seconds) };
});

/** Stops left out when the tour was shortened. */
export const DROPPED_STATIONS: ReadonlySet<number> = new Set([3, 5, 6, 9, 12, 16, 21, 22, 25, 26, 31, 32, 36, 38]);
