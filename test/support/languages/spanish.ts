/** Two people plan a year, and an assistant repairs a search, in Spanish. */
export const spanish = {
  talk: `
Lucía: ¡Hola! ¿Cómo estás?
Mateo: Muy bien, gracias. ¿Y tú?
Lucía: Bien también. Me mudo a {Valencia} el {4 de septiembre}.
Mateo: ¿De verdad? ¡Qué alegría!
Lucía: Sí, fue todo muy rápido.
Mateo: ¿Ya tienes piso?
Lucía: Sí, en la calle {Almirante 27}, pago {690 euros} al mes.
Mateo: Suena muy bien.
Lucía: Sí, estoy contenta.
Mateo: ¿Y el trabajo?
Lucía: Voy a trabajar de {veterinaria} en la clínica {San Roque}.
Mateo: ¡Enhorabuena!
Lucía: Muchas gracias.
Mateo: Yo fui ayer al médico y resulta que soy alérgico al {marisco}.
Lucía: Vaya, lo siento mucho.
Mateo: No pasa nada, ya me acostumbraré.
Lucía: Claro que sí.
Mateo: Mi hermano {Andrés} abrió un restaurante en {Bilbao}.
Lucía: ¡Qué bueno!
Mateo: Tiene {dieciocho mesas} y abre todos los días menos el {martes}.
Lucía: Tenemos que ir un día.
Mateo: Cuando quieras.
Lucía: ¿Y tus padres cómo están?
Mateo: Bien, se van a {Perú} en {noviembre} por su aniversario.
Lucía: ¡Qué envidia!
Mateo: El viaje les costó {3400 euros} entre los dos.
Lucía: Es mucho, pero vale la pena.
Mateo: Eso digo yo.
Lucía: ¿Sigues corriendo?
Mateo: Sí, corro la maratón de {Sevilla} con el dorsal {5127}.
Lucía: ¡Mucho ánimo!
Mateo: Gracias, lo voy a necesitar.
Lucía: Yo he empezado a tocar el {violonchelo}.
Mateo: ¡No me digas!
Lucía: Sí, mi profesora se llama {Inés Ferrer}.
Mateo: Pues a practicar mucho.
Lucía: Eso hago, todos los días.
Mateo: Me alegro mucho por ti.
Lucía: Bueno, me tengo que ir.
Mateo: Vale, hablamos pronto.
Lucía: Claro, un abrazo.
Mateo: Otro para ti.
Lucía: ¡Adiós!
Mateo: ¡Hasta luego!`,
  work: `
U: La búsqueda de clientes tarda {9} segundos con {40000} fichas, arréglalo por favor.
A: Voy a mirarlo.
T: read_file|src/search/clients.ts|clients.filter(matches)
A: {src/search/clients.ts} recorre todas las fichas en cada letra que se escribe.
U: No cambies la base de datos, tiene que seguir siendo {PostgreSQL 15}.
A: De acuerdo, solo cambio la búsqueda.
T: edit_file|src/search/clients.ts|ok
A: Hecho, lanzo las pruebas.
T: run|npm test -- search|5 failed: index missing
A: Fallan cinco pruebas porque falta el índice {clients_name_idx}.
U: Crea el índice en una migración aparte.
A: Ahora mismo.
T: edit_file|migrations/0042_clients.sql|ok
A: El índice está en {migrations/0042_clients.sql}.
T: run|npm test -- search|73 passed
A: Pasan las {73} pruebas y tarda {120} milisegundos.
U: Perfecto. Los acentos no se encuentran.
A: Lo reviso.
T: read_file|src/search/fold.ts|text.toLowerCase()
A: {foldAccents} no quita las tildes, por eso no aparece {Ibáñez}.
U: Hemos decidido buscar siempre sin tildes.
A: Muy bien.
T: edit_file|src/search/fold.ts|ok
A: {foldAccents} ya quita las tildes.
U: La lista debe mostrar como máximo {25} resultados.
A: Lo añado.
T: edit_file|config/search.json|ok
A: El límite está en {config/search.json}.
T: run|npm test|167 passed
A: En total pasan {167} pruebas.
U: Genial, publícalo.
A: Publico ahora.
T: run|deploy production|release 3318
A: La versión {3318} está en marcha.
U: Voy a probarlo.
A: Perfecto.
U: Funciona bien.
A: Me alegro.
U: El manual lo escribe {Carmen Ruiz}.
A: Entendido.
U: Gracias por todo.
A: De nada.`,
};
