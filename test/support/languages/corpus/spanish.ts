/** Sentences of people who talk to assistants and coding agents in Spanish. */
export const spanish = {
  built: `
constraint: Nunca despliegues los viernes.
constraint: Por favor, no toques la carpeta migrations, es de otro equipo.
constraint: El tiempo de respuesta tiene que mantenerse por debajo de 200 ms.
constraint: Pasa siempre el linter antes de hacer commit.
constraint: Usa solo los paquetes que ya están en package.json.
constraint: Bajo ningún concepto pueden aparecer correos de clientes en los logs.
constraint: La API pública no debe cambiar.
constraint: A partir de ahora escribe los commits en inglés.
none: Nunca me han gustado los lunes.
none: Debe de haber sido una noche larga.
none: ¿Siempre usas tabuladores?
none: En mi portátil la compilación tarda unos cuatro minutos.
decision: Hemos decidido usar Postgres en lugar de MySQL.
decision: Vamos con el diseño azul.
decision: Quedamos en vernos un jueves de cada dos.
decision: Al final nos quedamos con la facturación mensual.
decision: He decidido cancelar la suscripción.
decision: Acordamos hacer los tests nuevos con Vitest.
none: Todavía no hemos decidido el nombre.
none: ¿Usamos Redis o Memcached?
open: Todavía tenemos que escribir las notas de la versión.
open: Falta implementar la exportación de tablas grandes.
open: TODO: cambiar el nombre del bucket de staging.
open: El test de login sigue fallando en Windows.
open: Quedan por revisar las facturas de marzo.
done: Ya he corregido la fuga de memoria del worker.
done: La nueva portada ya está publicada.
none: La lista era bastante larga.
date 2024-03-06 = 5 March 2024: Ayer entregué el trabajo de fin de máster.
date 2024-03-06 = 8 March 2024: El fontanero viene pasado mañana.
date 2024-03-06 = 1 March 2024: El viernes pasado se fue la luz en la sala de servidores.
date 2024-03-06 = the week after 6 March 2024: La semana que viene nos visitan mis padres.
date 2024-05-20 = 17 May 2024: Firmamos el contrato hace tres días.
date 2024-05-20 = June 2024: El curso empieza el mes que viene.
date 2024-11-09 = 2022: Hace dos años me mudé a Vigo.
recall: ¿Dónde guardo la llave de repuesto? => La llave de repuesto cuelga en el sótano, detrás del contador del agua.
recall: ¿Cuánto cuesta el alquiler del estudio? => Pagamos 620 euros al mes por el estudio de Lavapiés.
recall: ¿En qué puerto está la base de datos de staging? => La base de datos de staging escucha en el puerto 5544.
recall: ¿A qué hora llega el tren de Clara? => Clara llega a las 18:42 al andén nueve.
recall: ¿A qué soy alérgico? => Tengo alergia a las nueces, así que nada de pesto.
recall: ¿Quién arregla la calefacción? => El señor Osorio revisa la calefacción cada otoño.
recall: ¿Por qué quitamos la cola? => Quitamos RabbitMQ porque de noche nadie sabía operar la cola.
idle: ¡Hola!
idle: ¡Muchas gracias!
idle: vale, sigue
idle: Genial, adelante.
idle: Buenos días, ¿qué tal?
idle: Me parece bien.
idle: ¡Hasta mañana!`,
  heldOut: `
constraint: Jamás hagas push directo a main.
constraint: No se puede renombrar ninguna columna de la tabla orders.
constraint: Asegúrate de que todos los endpoints pidan autenticación.
constraint: El presupuesto no puede pasar de 3.000 euros.
constraint: Evita las variables globales en los módulos nuevos.
constraint: Nada de fuentes externas.
constraint: En el informe no deben salir nombres de clientes.
constraint: Hay que mantener las URLs antiguas tal como están.
none: Por aquí tiene que haber una panadería mejor.
none: No sé por qué el ventilador hace tanto ruido.
none: Mi hermana siempre llama los domingos.
none: No te preocupes por la errata.
decision: Después de darle muchas vueltas elegimos la sala pequeña.
decision: Vale, tiramos con la opción B.
decision: Hemos acordado un precio de 1.200 euros.
decision: Entonces usaremos feature flags para el lanzamiento.
decision: Decidí reescribir el parser en Rust.
decision: El equipo ha decidido aplazar el lanzamiento a junio.
none: No sé si llegamos a decidir eso.
none: Nadie ha decidido nada todavía.
open: Está pendiente la traducción de las páginas de ayuda.
open: El siguiente paso es conectar la pasarela de pago.
open: Aún hay que llamar al casero.
open: La lógica de reintentos todavía no está terminada.
open: Faltan por renovar los certificados.
done: Hemos migrado todas las tablas al clúster nuevo.
done: Eliminé la hoja de estilos que no se usaba.
none: Su charla estaba abierta a todo el mundo.
date 2024-03-06 = 7 March 2024: Mañana tengo cita con el dentista.
date 2024-03-06 = 4 March 2024: Anteayer me robaron la bici.
date 2024-03-06 = the week before 6 March 2024: La semana pasada probamos los sensores nuevos.
date 2024-03-06 = 11 March 2024: El taller es el próximo lunes.
date 2024-05-20 = around 6 May 2024: Hace dos semanas se estropeó la impresora.
date 2024-05-20 = April 2024: El mes pasado terminamos el tejado.
date 2024-11-09 = 2025: El año que viene Ben acaba el instituto.
recall: ¿Cómo se llama la nueva contable? => Nuestra nueva contable es Priya Ramos.
recall: ¿Cuántas sillas pedimos? => Pedí 36 sillas plegables para la fiesta.
recall: ¿En qué rama está el hotfix? => El hotfix está en release-2.8, no en main.
recall: ¿Dónde ensaya el coro? => Los ensayos del coro son en el antiguo parque de bomberos.
recall: ¿Cuándo vence la declaración de la renta? => Hacienda quiere la declaración antes del 30 de junio.
recall: ¿De qué color va a ser el baño? => Pintamos la muestra del baño en verde salvia.
recall: ¿Quién tiene la contraseña del router? => Jonás cambió la contraseña del router y la apuntó en su libreta.
idle: Hola de nuevo
idle: ¡Gracias!
idle: sí, continúa por favor
idle: Perfecto, sigue así.
idle: Buenas noches
idle: de acuerdo
idle: ¡Adiós!`,
};
