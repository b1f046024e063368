Nos mudamos al piso nuevo un jueves lluvioso de marzo.
Se rió y prometió enviar a un fontanero antes de fin de mes.
Los niños reciben una galleta si saben contar hasta diez en otro idioma.
El tren tenía que salir a las siete y ocho minutos.
Íbamos tan apretados que podía leer los mensajes de mi vecino.
En un rincón hay una bañera oxidada llena de fresas.
Nuestra gata desapareció el dos de noviembre.
Una gata gris se había instalado en su granero y tenía aterrorizados a los perros.
Vierte un litro de agua y echa una hoja de laurel.
La entrevista fue en una sala sin ventanas.
En la página cuatro se contradijo usted, dijo la mujer, y nadie más lo hizo.
La calle se había convertido en un riachuelo marrón.
Este año el colegio representa una obra sobre un dragón.
Las entradas cuestan tres euros y los menores de diez años no pagan.
La mecánica tenía unos diecinueve años y un aro en el labio.
El pescadero llega el primero, porque se le derrite el hielo.
Una pequeña máquina con cepillos da vueltas y se come lo que queda.
Nos encontramos a medianoche en la escalera, los dos en zapatillas.
Asintió, cogió una lamparita y miró dentro.
Los periódicos están en la planta baja, junto al ascensor.
Salimos antes del amanecer, con dos mapas y una brújula.
Llevaba un buen rato oyéndonos, dijo, y esperaba que parásemos.
Nadie más quiso acompañarla, así que fui yo.
Limpia la grasa con agua caliente y sosa.
Después lávate el pelo, porque lo tienes del mismo color que la pared.
Fila cinco, asientos once y doce: una señora quiere cambiar los suyos.
Nuestro profesor había sido marinero y nunca levantaba la voz.
Llamaron a la puerta, y allí estaba el cartero con esquís.
Querida Anna: gracias por tu carta y por la foto.
Ven antes de que maduren las cerezas, o se las comerán los estorninos.
Habría que llamar una hora antes y decir adónde se quiere ir.
Una vez el corcho se hundió y casi se me paró el corazón.
Ensayamos una misa que ninguno de nosotros sabe pronunciar.
Pulsé todos los botones, primero uno tras otro y luego todos a la vez.
Un hombre de la habitación doce reparó relojes toda su vida.
El museo de las cerraduras está en una calle lateral que no sale en ningún mapa.
Se sale por la tienda, como en todas partes.
El árbitro lo puso en el círculo central y confió en la suerte.
Los tilos del parque valen más que cualquier prado.
La carta iba dirigida a quien fuera lo bastante curioso.
Montamos la tienda bajo un pino, en terreno blando.
La novia llegó en un tractor, porque el coche no arrancaba.
Alguien perdió un zapato, y no era la princesa.
La última foto muestra una playa vacía.
Una vez di siete vueltas a la misma antes de atreverme a salir.
Allí se sientan los viejos desde temprano y hablan de usted, dijo una mujer de la tercera fila.
Ah, esto es para el quince de agosto, y hoy es quince de julio.
Tres veces por semana paseo al perro de la señora de la planta baja.
Cuando estuvo enfermo, cinco de ellos me preguntaron por él.
Dormir hasta las ocho, dijo, y después ya veremos.
Lo pensó un rato y preguntó si todavía seguía allí.
No ha puesto un huevo desde las elecciones, le contaba a todo el que entraba.
Hay mala mar, así que, por favor, permanezcan en sus asientos.
El funcionario de aduanas no hizo ninguna pregunta.
Él la nombró encargada de la lista, y ahora siempre es la primera en salir.
¿Para qué, con el mundo entero en una tubería?
Al menos ahora sabemos que funciona.
La dueña acaba de traerme una cuerda y una bolsa de higos.
Si también llueve en el gimnasio, llevaremos paraguas.
Hasta entonces habrá un transbordador cada quince minutos.
El ascensor estaba averiado, así que mi hermano subió la mayoría de las cajas por cuatro tramos de escalera.
Nadie nos había dicho que la cocina no tenía fogones.
La primera semana vivimos de pan, queso y alubias frías.
Las paredes eran finas y por la noche oíamos roncar al vecino.
Mi hermana eligió la habitación pequeña porque da al castaño.
Yo habría preferido un balcón, pero no se puede tener todo.
El sábado pintamos el pasillo de amarillo, y también a medio gato.
El casero pasó a preguntar si estábamos contentos con la calefacción.
Funciona, le dije, si le das dos golpes con un zapato.
El fontanero no vino nunca, pero el tiempo mejoró.
En mayo ya sabíamos cómo se llamaban todos los de nuestra planta.
La señora mayor de enfrente nos trae sopa cuando le sobra.
Sospecho que siempre hace de más a propósito.
La panadería de la esquina abre a las cinco y media.
A esa hora el panadero ya lleva cuatro horas despierto.
Tiene las manos blancas hasta los codos y harina en las cejas.
Aprendió el oficio de su tío, que no sabía leer pero nunca quemó un pan.
El secreto, dice, está en dejar la masa en paz.
Mi hija ha aprendido así siete idiomas, hasta diez.
Los domingos la cola llega hasta la farmacia.
La gente se queja de los precios y luego compra dos de cada cosa.
El invierno pasado abrieron un supermercado al otro lado de la calle.
Sus panecillos son más baratos y saben a cartón.
A las seis semanas, la mayoría de los clientes había vuelto.
El panadero no dijo nada, pero puso una pasa más en cada bollo.
Quiere jubilarse dentro de dos años, si encuentra a alguien que siga con el negocio.
Su propio hijo tiene miedo a los hornos y trabaja en una compañía de seguros.
A las ocho menos cuarto seguíamos en el andén.
Una voz anunció algo, pero se la llevó el viento.
Un señor mayor desplegó una silla y se puso a leer el periódico.
Lo hace todas las mañanas, me susurró la mujer que estaba a mi lado.
Dos estudiantes discutían sobre si los peces sienten dolor.
Llamé a la oficina para decir que llegaría tarde otra vez.
Mi jefe me preguntó si había pensado alguna vez en comprarme una bicicleta.
Vivo a cuarenta kilómetros y hay una montaña en medio.
Cuando por fin llegó el tren, solo tenía dos vagones en lugar de cinco.
Trataban de un loro enfermo, y me dio pena que se bajara.
El revisor pidió disculpas a cada viajero en persona.
Un árbol caído había cortado la vía cerca del túnel.
Por la tarde todo funcionó con puntualidad, lo que casi me molestó más.
El jardín de mi abuela es más pequeño que una pista de tenis.
Aun así, cultiva patatas suficientes para alimentar a media calle.
Siembra según la luna y riega por instinto.
Las babosas las recoge al amanecer y las suelta detrás del ayuntamiento.
El alcalde todavía no ha descubierto de dónde vienen.
Nadie puede tocarlas antes de su cumpleaños, en junio.
Cuando tenía seis años me comí tres y le eché la culpa al mirlo.
Me miró los dedos rojos y dijo que debía de ser un pájaro muy grande.
Ahora le duelen las rodillas, así que en otoño cavo yo.
Ella se sienta en un cubo al revés y me dice lo que hago mal.
El año pasado encontramos entre las zanahorias una moneda de 1911.
La limpió con vinagre y la volvió a dejar donde estaba.
Alguien debió de perderla ahí, dijo, y a lo mejor vuelve a buscarla.
No conozco a nadie que tenga tan poco y regale tanto.
Es gris, tiene una pata blanca y muy mal genio.
Pusimos carteles en el colegio, en correos y en las dos paradas de autobús.
En un solo día llamaron once personas, todas muy seguras.
En mi vida había visto tantos gatos grises.
Uno de ellos era un conejo.
Mi hijo dormía con la ventana abierta por si volvía de noche.
Lo que llegó fue un resfriado y un montón de hojas.
Al cabo de tres semanas hasta los carteles se habían descolorido.
Entonces llamó un granjero de un pueblo del otro lado del río.
Supimos enseguida que era ella.
Fingió no conocernos hasta que llegamos al coche.
Nadie supo explicar cómo había cruzado el río.
Desde entonces está más delgada, más lista e igual de maleducada.
Para hacer esta sopa necesitas una cebolla, dos puerros y paciencia.
Corta la cebolla tan fina como puedas sin llorar.
Derrite una cucharada de mantequilla en la olla grande.
No debe tostarse, o todo sabrá amargo.
Añade los puerros y remueve hasta que estén blandos.
Mi madre echa también la corteza de un queso viejo.
Déjala cocer a fuego lento cuarenta minutos con la olla medio tapada.
Mientras tanto, pela las patatas y córtalas en dados.
Si los invitados llegan antes de tiempo, añade otra patata y más agua.
Prueba antes de echar sal, porque el queso ya es salado.
Sírvela con pan moreno y el resto de la mantequilla.
Al día siguiente está aún más rica, si es que queda.
Se puede congelar, aunque da un poco de pena.
Mi tío se la toma fría para desayunar y no hay quien se lo impida.
Había tres personas en la mesa, y una no paraba de estornudar.
Querían saber por qué había dejado mi último trabajo.
Dije que la empresa se había ido a Portugal y yo no.
¿Dónde se ve usted dentro de diez años?, preguntó la mujer de la izquierda.
A ese lado de la mesa, contesté, y me arrepentí enseguida.
El hombre del resfriado sonrió por primera vez.
Después me dieron un formulario en el que cada pregunta aparecía dos veces.
Respondí cosas distintas, para ver si alguien se daba cuenta.
Me llamaron esa misma tarde.
¿Cuándo puede empezar?
Empecé el uno de septiembre con un par de zapatos nuevos.
Los zapatos me hacían daño, pero los compañeros eran amables.
Ahora mi mesa tiene ventana y conozco de vista a las palomas.
Llovió desde el viernes por la tarde hasta el lunes por la mañana.
Los niños construyeron un barco con sillas y mantas.
Yo fui el capitán, luego la ballena y al final el cocinero.
A mediodía se acabó la leche y nadie se ofreció a salir.
Lo echamos a suertes y, por supuesto, perdí yo.
Una pelota roja pasó flotando y desapareció debajo de una furgoneta.
En la tienda, la radio aconsejaba quedarse en casa.
La dependienta se encogió de hombros y me vendió los dos últimos cartones.
Cuando volví, los piratas habían atacado el barco.
Pedían tortitas como rescate.
Por la tarde descubrimos una gotera.
Las gotas caían en una cacerola y sonaban como un reloj lento.
Esa noche todos dormimos bien.
El lunes salió el sol como si no hubiera pasado nada.
El dragón se compone de nueve alumnos y una cortina verde.
Mi sobrina es el tercer par de patas, y está muy orgullosa.
En el primer ensayo la parte de delante quería ir a la izquierda y la de atrás a la derecha.
La cortina se rasgó justo por la mitad.
El profesor de música decidió que a veces los dragones van en pareja.
Así que ahora hay que rescatar dos veces a la princesa.
Ella dice que puede salvarse sola, y han cambiado el guion.
El caballero se ofendió hasta que le dieron un caballo.
El caballo olvidó su única frase.
El salón estaba tan lleno que los bomberos contaron a los asistentes.
Al final los dos dragones saludaron en direcciones opuestas.
Pocas veces he aplaudido tanto.
Mi sobrina durmió una semana con sus medias verdes.
Mi bicicleta llevaba semanas haciendo un ruido raro.
Chasqueaba al girar el pedal izquierdo, pero solo cuesta arriba.
Primero engrasé la cadena y después apreté todos los tornillos que encontré.
El chasquido se volvió más rápido y más fuerte.
En el taller pusieron la bici en un soporte y menearon la cabeza.
¿Siempre lleva las llaves en ese bolsillo?, preguntó.
Las saqué y recorrí la calle de arriba abajo.
No se oía nada.
No me cobró nada, así que compré un timbre.
Tiene forma de caracol y suena como un barco.
Los peatones se apartan de un salto y luego se ríen.
Si algún día necesitas una cadena nueva, ve allí y pregunta por Mira.
La tienda cierra los miércoles y siempre que el mar está lo bastante caliente.
Todos los martes hay mercado en la plaza de detrás de la iglesia.
A su lado, una pareja de la sierra vende queso de cabra y miel.
Se puede probar todo, siempre que uno escuche sus historias.
Una de las cabras sabe abrir verjas y ha estado en el cine.
Un chico toca el acordeón, siempre las mismas tres canciones.
El puesto de paraguas vende mucho cuando llueve, y cuando no, vende gafas de sol.
Después de la una los tomates son más baratos.
Mi padre regatea por cada rábano, aunque es un hombre rico.
Lo contrario sería de mala educación, explica.
A las dos la plaza está vacía, salvo por las hojas de col y las palomas.
Las palomas la siguen a una distancia prudente.
Estimado señor Hartmann: desde hace tres semanas su música no me deja dormir.
No tengo nada en contra de la trompeta en sí.
Sin embargo, entre las diez de la noche y las seis de la mañana prefiero el silencio.
Quizá podría ensayar en el sótano, donde solo le oirían las botellas.
Atentamente, su vecina del segundo.
La respuesta estaba debajo de mi puerta a la mañana siguiente.
No tenía ninguna trompeta, escribió, y él mismo se había preguntado de dónde venía el ruido.
Había pensado que era yo.
El sonido venía de arriba, donde hacía años que no vivía nadie.
Detrás de la puerta del desván encontramos una ventana abierta y una tubería rota.
Cuando soplaba el viento del oeste, la casa tocaba sola.
Cerramos la ventana, y a veces lo echo de menos.
Ahora el señor Hartmann viene a tomar el té los jueves.
¿Qué le pasa?, preguntó la doctora sin levantar la vista.
Me pita el oído desde el fin de semana.
¿Ha ido a un concierto o ha estado cerca de una explosión?
Doy clase en primero de primaria, respondí.
Por un momento se quedó callada y empecé a preocuparme.
Luego alargó la mano hacia unas pinzas.
No se mueva, por favor, puede hacerle cosquillas.
En el paño blanco había una diminuta cuenta azul.
Me acordé de la niña que quería contarme un secreto.
El pitido cesó esa misma noche.
La cuenta está en mi mesa, y todavía no me ha contado el secreto.
Los libros se prestan por cuatro semanas y se pueden renovar dos veces.
Por favor, devuélvalos en el mostrador y no los deje en las estanterías.
Quienes deseen trabajar en silencio encontrarán mesas en la tercera planta.
No se permite comer, y las bebidas solo en botellas cerradas.
La biblioteca cierra a las ocho; los sábados, a las dos.
Diez minutos antes del cierre parpadean las luces.
No es una avería, es nuestra bibliotecaria con el interruptor.
Quien pierda un libro lo paga o nos trae uno mejor.
Una vez un lector sustituyó un libro de cocina por una novela de novecientas páginas.
Solo se ha prestado una vez, y volvió con una mancha de salsa de tomate.
Los niños menores de seis años necesitan un adulto, y los adultos necesitan un carné.
Los mapas no coincidían, y la brújula era de la caja de juguetes de mi sobrino.
Bajo el puerto el camino se divide en tres.
Tomamos el del medio, que parecía transitado.
Resultó que por él pasaban ovejas.
Hacia el mediodía bajó una niebla tan espesa que nos agarramos unos a las mochilas de otros.
Alguien debería cantar, dijo Paul, para que no nos perdamos.
Ninguno de nosotros sabía más de una estrofa de nada.
Cantamos la misma estrofa durante dos horas.
Entonces ladró un perro, y de la blancura salió un pastor con un termo.
Su cabaña estaba a doscientos metros.
Hubo té con ron, y los calcetines se secaron sobre la estufa.
Dicen que desde su ventana se ven tres países.
Nosotros vimos la ventana.
Por su ochenta cumpleaños mi tía pidió un viaje en globo.
La familia se horrorizó, pero reunió el dinero de todos modos.
Hay que levantarse a las cuatro, porque el aire está más tranquilo por la mañana.
Ella estaba lista desde las tres, con un gorro de cuero.
El piloto la ayudó a pasar por encima del borde de la cesta.
El suelo se hundió sin más, sin una sacudida.
Sobre el lago había tanto silencio que oímos un portazo en el pueblo.
Mi tía saludó con la mano a un hombre en un tractor y él se quitó el sombrero.
Yo mantuve la vista en el horizonte y las manos en la cuerda.
Al cabo de una hora bajamos en un campo de colza.
Acabó toda amarilla y quería volver a subir enseguida.
Para los noventa está pensando en un paracaídas.
Hemos empezado a ahorrar.
Antes de pintar la cocina, quita todo lo que haya en las paredes.
Tapa los agujeros, deja que se sequen toda la noche y líjalos.
Cubre el suelo con periódicos, pero no empieces a leerlos.
Una buena brocha es cara y dura años si se limpia.
Empieza por la ventana y avanza hacia la puerta.
Quien empieza por la puerta pasa la noche en la cocina.
La primera capa siempre queda fatal, así que no desesperes.
La pintura se ve más oscura seca que en el bote.
Guarda un poco en un frasco para los arañazos que seguro vendrán.
Abre la ventana, pon agua a hervir y admira tu obra.
Hola, ¿es el teatro municipal?
No, se ha equivocado de número, esto es una casa particular.
Pero el número está impreso en mi entrada.
Lo sé, es usted la novena persona que llama hoy.
Entonces seguro que puede decirme a qué hora empieza la función.
A las siete y media, y hay un descanso después del segundo acto.
¿Está bien?
A la cuarta persona que llamó le gustó; la sexta se marchó.
¿Podría cambiar mis asientos por otros más cerca del escenario?
Para ser un número equivocado, está usted muy bien organizada.
Antes trabajaba en el teatro, dijo, hasta que cambiaron el número de teléfono.
Ayer nadé veinte largos sin parar.
Hace un año no era capaz de meter la cara en el agua.
Cuando era niño, alguien me empujó a un lago en broma.
Durante treinta años le dije a la gente que tenía una enfermedad de la piel.
Entonces mi hija me pidió que le enseñara a nadar.
Nos apuntamos al mismo curso, ella con los niños y yo con los adultos.
A los adultos nos tocaba la parte honda, y teníamos mejores excusas.
Soltad el aire, decía, lo demás no es más que agua.
La sexta semana me solté del borde.
Mi hija miraba desde el otro lado, conteniendo la respiración por mí.
Ella se sacó la insignia en primavera y yo en verano.
Este julio iremos a aquel lago.
Empezó a nevar el miércoles y no paró en tres días.
El viernes los coches no eran más que montes blancos.
Poco después de cenar se fue la luz.
Encendimos velas y nos dimos cuenta de lo ruidosa que era la nevera.
Traía dos facturas, una revista y un saco de carbón.
El carbón era para la viuda del final de la calle.
Fuimos con él, cada uno con una pala.
Entre cuatro tardamos una hora en llegar a su puerta.
Estaba sentada junto a la ventana, con el abrigo de piel, haciendo un crucigrama.
Un río de Siberia de dos letras, dijo en lugar de saludar.
Ob, dijo el cartero, y se limpió las gafas.
Nos sirvió aguardiente de ciruela en hueveras.
De vuelta a casa ya nadie sentía el frío.
Tienes buen aspecto, aunque el sombrero es un error.
Aquí todo sigue como siempre, solo que más caro.
Peter por fin ha terminado la carrera y ahora busca trabajo.
Envía dos solicitudes por semana y duerme hasta el mediodía.
Tu antigua habitación huele a manzanas, porque las guardamos allí en invierno.
El médico dice que tengo bien el corazón para ser alguien que no le hace caso.
¿Sigues tocando el violín, o han ganado los vecinos?
El domingo pasado éramos once a la mesa y no hubo bastante pastel.
Todos preguntaron por ti, hasta Karl, que nunca pregunta por nadie.
Trae zapatos de abrigo, el pasillo sigue sin calefacción.
Un beso mío y otro de tu padre, que se esconde detrás del periódico.
El último autobús al pueblo sale a las diez menos veinte.
El conductor espera si sabe que vas a venir.
Sabe lo que hace cada uno cada noche de la semana.
Los lunes, el coro; los martes, los jugadores de cartas; los miércoles, los enamorados.
Una vez dio la vuelta porque una niña había olvidado la flauta en el asiento.
Los pasajeros no se quejaron: querían oírla tocar.
La empresa quiere sustituir la línea por un servicio a petición.
La mayoría solo lo sabemos cuando ya estamos sentados en el autobús.
Hubo una reunión y todos llegaron en autobús.
El hombre de la empresa tomó notas y perdió el último.
Pasó la noche en la posada, y la línea sigue existiendo.
Mi padre me llevó a pescar cuando yo tenía ocho años.
Hay que estar callado, dijo, los peces tienen oídos en todo el cuerpo.
Así que estuve callado desde las seis de la mañana hasta las dos de la tarde.
Comimos bocadillos de huevo y vigilamos el corcho.
En la otra orilla había una garza que tenía más suerte que nosotros.
Era una bota, y ni siquiera buena.
Mi padre le sacó el agua y la metió en la bolsa.
En casa le dijo a mi madre que habíamos pescado algo grande.
Ella plantó geranios dentro.
Florecieron once veranos, más de lo que habría durado cualquier pez.
Nuestro coro tiene cuarenta miembros, y en las buenas noches vienen veinticinco.
Sopranos hay de sobra, pero solo dos tenores.
Uno de los tenores es dentista y a veces lo llaman.
El otro es un poco sordo, lo que lo hace valiente.
Contad, nos ruega el director, al menos hasta cuatro.
En el descanso hay vino, y después del descanso hay menos errores.
O quizá simplemente oímos menos.
El concierto será el segundo domingo de Adviento.
Si falla la calefacción, traiga una manta y cante con nosotros.
La lavadora se paró en mitad del programa.
Estaba llena de agua y dentro estaba mi único traje.
En el manual ponía que en ese caso había que llamar al servicio técnico.
El servicio técnico me dijo que mirara el manual.
La puerta se abrió.
Treinta litros de agua llegan sorprendentemente lejos en un piso pequeño.
El hombre de abajo llamó antes de que encontrara el cubo.
No estaba enfadado, quería prestarme su bomba.
Es la tercera vez este año, dijo, el inquilino anterior tenía la misma lavadora.
Fui a la boda con una chaqueta prestada y los zapatos mojados.
Trabajo de noche en el hospital, de nueve a siete.
Los pasillos son largos, y después de medianoche parecen más largos.
La mayoría de los pacientes duerme; algunos quieren hablar.
Por el ruido del ascensor sabe lo que le falla.
A las tres hago café para los que no pueden dormir y los que no deben.
La joven doctora se toma el suyo de pie.
Está de guardia desde ayer por la mañana y ha olvidado qué día es.
Es domingo, le digo, y ha llovido.
Cuando empiezan los pájaros, lo peor ha pasado.
Vuelvo a casa en bicicleta contra la corriente de gente que va al trabajo.
Algunos me saludan, porque creen que soy uno de ellos.
Con las cortinas cerradas escucho la ciudad y me duermo.
Su fundador fue un ladrón que había cambiado de bando.
Hay trescientas cerraduras, y los visitantes pueden probar cuarenta.
La más pequeña es de plata y pertenecía a un diario.
La más pesada protegía un banco que quebró de todos modos.
Mi amigo abrió un candado chino en menos de un minuto y le dieron un diploma.
Yo me pillé el dedo en un candado con truco de Viena.
El guía tuvo que ir a por aceite, y se tomó su tiempo.
Mientras esperábamos, nos contó cómo se reconoce una llave falsa.
Lo he olvidado; si no, lo escribiría aquí.
En el minuto ochenta seguían empatados a cero.
El equipo local había dado dos veces en el poste y una en el árbitro.
Nuestro entrenador sacó a Yusuf, que había cumplido diecisiete el día anterior.
En su primer toque perdió el balón.
En el segundo lo mandó a la esquina, entre tres defensas.
El portero no se movió; después dijo a los periodistas que estaba admirándolo.
Entonces se apagaron los focos.
Durante veinte minutos ocho mil personas cantaron a oscuras.
Cuando se reanudó el partido, nadie recordaba dónde estaba el balón.
Acabó uno a cero, y en la tienda del club se agotaron las camisetas con su número.
Su madre lavó la embarrada y la colgó en la cocina.
A las abejas no les gusta el olor a plátano.
Se parece al olor con el que se avisan del peligro.
Mi prima lo aprendió en su primera visita a las colmenas, mientras comía.
Ahora tiene once colmenas y ya no cuenta las picaduras.
En primavera busca a la reina y la marca con un punto de pintura.
El color de este año es el azul, para que todo apicultor sepa qué edad tiene.
Una colmena fuerte puede reunir dos kilos de miel en un solo día de mayo.
Cuando un enjambre se colgó de un semáforo, la policía le pidió ayuda.
Lo barrió con una pluma de ganso hacia una caja.
Los coches esperaron y, por una vez, nadie tocó el claxon.
La miel de ciudad sabe distinta en cada calle.
La nuestra la reconocería en cualquier parte.
La radio de mi abuelo estuvo veinte años muda en la estantería.
Es tan grande como una maleta y tiene un ojo verde que antes brillaba.
Una noche de lluvia le desatornillé la tapa.
Dentro encontré polvo, una polilla muerta y una carta.
Cambia la segunda válvula por la izquierda, decía, las demás están bien.
Lo habría hecho yo mismo, pero tu abuela prefiere el silencio.
Tardé un mes en encontrar la válvula adecuada, en una tienda de Hamburgo.
Cuando la encendí, hubo un zumbido, luego un olor y luego una voz.
La voz leía el nivel del agua de todos los ríos del país.
La escuchamos hasta el final, mi abuela y yo.
Así que por eso pasaba tanto tiempo en el sótano, dijo ella.
El camping está entre una autopista y un lago precioso.
En el folleto solo se ve el lago.
Por qué era blando se supo hacia medianoche.
Las hormigas no son mala compañía si se deja el azúcar en el coche.
Nuestros vecinos habían traído un televisor, una alfombra y un loro.
El loro imitaba cremalleras, así que toda la noche creímos que entraba alguien.
El tercer día una tormenta arrancó la mitad de las piquetas.
Nos refugiamos todos en las duchas y jugamos a las cartas apostando jabón.
Nunca he estado tan limpio en unas vacaciones.
Cuando nos fuimos, el loro se despidió con nuestras propias voces.
El verano que viene volveremos, pero con tapones para los oídos.
Su padre conducía a seis kilómetros por hora para que no le pasara nada al vestido.
El cura había empezado por tercera vez el primer himno.
En algún lugar del fondo un bebé ensayaba para la ópera.
El novio dijo que sí antes de que le preguntaran.
En el banquete me sentaron entre un veterinario y un inspector de Hacienda.
Uno hablaba de vacas; el otro no dejaba de mirar mi plato.
La tarta tenía cinco pisos y una pequeña fuente eléctrica.
Hacia las once hubo un cortocircuito, y bailamos a la luz de los faros del tractor.
El veterinario resultó ser el que mejor bailaba.
A la mañana siguiente estaba en el tubo de escape del tractor.
En la tienda de segunda mano compré un álbum lleno de desconocidos.
En la primera página se ríe una mujer en bañador de rayas.
En la página diez ya tiene marido, perro y sombrero.
El perro sale en todas las fotos y nunca mira a la cámara.
Hay años de muñecos de nieve, de comidas campestres, del mismo coche azul.
Debajo de una foto alguien escribió: el día antes.
No dice antes de qué.
Después falta el hombre, y la mujer ya no lleva sombreros.
Puse un anuncio en el periódico local con la foto del perro.
Llamó un joven y dijo que era de su tía abuela.
Vino a recoger el álbum y se quedó a tomar café.
Tiene noventa y cuatro años, dijo, y todavía va a nadar.
Mi profesor de conducir tenía el estómago débil y opiniones firmes.
Retrovisor, intermitente, hombro, repetía como una oración.
La primera vez que di marcha atrás tiré un cubo de basura.
La segunda vez ya habían puesto el cubo a salvo.
Las rotondas me daban más miedo que ninguna otra cosa.
Muy concienzudo, dijo el profesor con los ojos cerrados.
El día del examen había niebla y el examinador tenía hipo.
Cada vez que hipaba, yo frenaba.
Reacciona usted con rapidez, escribió en el formulario.
Llevo nueve años conduciendo y sigo evitando el centro.
El ayuntamiento se reunió el martes para hablar del banco.
Está delante de la panadería y siempre está ocupado.
Un partido pedía un segundo banco; el otro quería quitar el primero.
Allí se sientan los jóvenes hasta tarde y ponen música, dijo un hombre con corbata.
El tesorero explicó que un banco cuesta ochocientos euros.
Un carpintero se ofreció a hacer uno gratis si podía elegir el sitio.
Al cabo de dos horas acordaron pedir el informe de un experto.
El experto llegó en otoño, se sentó en el banco y se comió un pretzel.
Su informe tiene sesenta páginas y recomienda un árbol.
Buenas noches, hemos reservado una habitación doble con vistas al mar.
Lo siento mucho, pero no tenemos ninguna reserva a ese nombre.
Es imposible, tengo la confirmación en el teléfono.
¿Me permite verla?
¿De verdad no puede hacer nada por nosotros?
Está la habitación de mi hermano, que está en alta mar hasta el viernes.
Tendrían que dar de comer a su tortuga dos veces al día.
¿Tiene vistas la habitación?
Si se suben a la silla, se ve el puerto.
Nos la quedamos, y la tortuga se encariñó con mi marido.
El desayuno se sirve de siete a diez en la terraza.
La contraseña de la red está en el reverso de su llave.
Si necesita toallas, marque el nueve; si necesita silencio, marque el cero.
Se llama Profesor, y es él quien decide adónde vamos.
En cada farola lee las noticias del barrio.
A veces responde, a veces solo suspira.
Odia los monopatines, las bandas de música y el olor a menta.
Con los demás perros es educado pero distante.
Solo el viejo caniche del carnicero puede caminar a su lado.
En el parque compartimos un bocadillo, y él se queda con el jamón.
Gracias a él he conocido a más gente en un año que en los diez anteriores.
Saben cómo se llama él, pero no cómo me llamo yo.
Después de sesenta y un años cierra la ferretería.
Allí se podía comprar un solo tornillo y te explicaban cómo usarlo.
La señora Vogel se sabía de memoria el contenido de cuatrocientos cajones.
Hoy la gente lo pide todo de noche y devuelve la mitad por la mañana.
El último día la cola daba la vuelta a la manzana.
Todos compraron algo que no necesitaban.
Yo me llevé tres bisagras, una plomada y la campanilla de la puerta.
Envolvió cada cosa en papel de estraza, como siempre había hecho.
¿Qué va a hacer ahora?, pregunté.
En primavera abrirá una tienda de teléfonos.
Las noches despejadas subimos el telescopio a la vieja cantera.
Allí la ciudad no es más que un pálido resplandor, muy detrás de la colina.
Traed guantes, un termo y algo donde sentaros.
Los ojos necesitan veinte minutos para acostumbrarse a la oscuridad.
Una mirada al teléfono y hay que volver a empezar.
La mayoría de los principiantes quiere ver Saturno, y nunca quedan defraudados.
Parece un dibujo de sí mismo, dijo un niño de siete años.
Lo que veía había salido del planeta hacía más de una hora.
Nuestro club lo fundó un carnicero que no podía dormir.
El primer espejo lo talló él mismo, entre salchicha y salchicha, como solía decir.
Sigue dando la imagen más nítida de todas.
Hacia las dos gana el frío y recogemos.
Al bajar nadie habla y todos miran hacia arriba.
La clínica está frente al parque de bomberos, en el primer piso.
Por favor, llame dos veces y luego empuje con fuerza.
Los perros deben ir atados, y los gatos, en su cesta.
En la sala de espera había un hombre con una gallina en el regazo.
Mi hámster se había comido una goma elástica y parecía orgulloso de ello.
¿Cuánto pesa?, preguntó la veterinaria, y yo no tenía ni idea.
Lo puso en una taza de café sobre la balanza de cocina.
Noventa gramos, dijo, es todo un señor bien alimentado.
Manténgalo caliente y cuente lo que salga.
Dos días después el asunto estaba resuelto.
La factura fue de cuarenta y dos euros; el hámster había costado nueve.
Pagué con gusto.
Señoras y señores, estamos cruzando el estrecho.
Volveremos a servir bebidas calientes en cuanto las tazas dejen de resbalar.
En la cubierta de los coches una alarma llevaba diez minutos aullando.
Se ruega al propietario de la furgoneta verde que acuda a información.
Somos nosotros, susurró mi mujer, y se puso tan verde como la furgoneta.
Bajé la escalera agarrado a la barandilla con las dos manos.
Un marinero esperaba ya con un destornillador.
Su tabla de surf, dijo, se apoya todo el rato en la bocina.
Entre los dos la atamos al techo con mi cinturón.
Llegamos al puerto con dos horas de retraso, y yo sujetándome los pantalones.
En caso de incendio, abandone el edificio por la salida más próxima.
No use el ascensor ni vuelva a por su abrigo.
Cierre las ventanas si puede hacerlo sin peligro.
El punto de reunión está bajo el gran roble del patio.
Espere allí hasta que lo hayan contado.
El año pasado hubo dos simulacros y ningún incendio.
En el segundo se enfadaron las ardillas.
La compañera nueva se había quedado en su mesa porque no había terminado la frase.
Escribo despacio, le dijo al responsable de seguridad.
Mi tío colecciona mapas de lugares que han cambiado de nombre.
Tiene más de doscientos, enrollados dentro de una tubería.
En uno de ellos el mar sigue donde hoy está el aeropuerto.
Sabe explicar cómo llegar a calles que ya no existen.
Cuando me pierdo, lo llamo por teléfono.
¿Qué ves?, me pregunta, y yo se lo digo.
Una gasolinera, un cine cerrado y una estatua sin cabeza.
Entonces estás en medio de la vieja lonja, dice, mira dónde pisas.
Nunca ha viajado más allá del distrito vecino.
El técnico de la calefacción vino por fin, el día más caluroso del año.
Abrió la caldera y silbó.
¿Quién instaló esto?, quiso saber, ¿un poeta?
Había tubos que no llevaban a ninguna parte y uno que llevaba a casa de los vecinos.
O sea, que llevábamos nueve inviernos calentándoles el baño.
Les dio mucha vergüenza y nos trajeron un jamón.
Bajo el suelo descubrió una llave de paso que nadie conocía.
Cuando la giró, todos los radiadores cantaron a la vez.
Fuera había treinta y cuatro grados y en el salón treinta y nueve.
Mañana vuelo a casa y mi maleta no cierra.
Me he sentado encima, me he arrodillado encima y le he hablado con cariño.
El problema son las piedras.
Cada una es de una playa distinta, y le prometí una a cada uno.
La pesada del anillo blanco es para ti.
Estaba junto al camino donde la tarde anterior habían estado los delfines.
Podría dejar los zapatos, de todas formas ya no sirven.
O el diccionario, porque ya me sé las palabras que importan.
Pan, agua, gracias, qué bonito, demasiado caro, hasta mañana.
Ha atado la maleta como si fuera un paquete.
Los higos me los comeré en el avión, pensando en el viento.
Espérame a mediodía, y pon agua a hervir.
Ya hay fecha para la fiesta de verano: es el último sábado de junio.
Cada uno trae una ensalada, una silla y buen humor.
La última vez tuvimos catorce ensaladas de patata y ni un solo tenedor.
Por favor, apuntad en la lista lo que vais a preparar.
El grupo tocará hasta las diez; después les toca a los grillos.
Si llueve, nos trasladaremos al gimnasio.
¿Quién puede prestarnos una mesa larga y dos alargadores?
Los voluntarios para fregar serán especialmente bienvenidos.
Los niños preparan una carrera en la que gana el más lento.
Mi padre lleva entrenando desde Semana Santa.
Tiene la intención de llegar el domingo.
El puente viejo estará cerrado al tráfico desde el lunes.
Los ingenieros han encontrado grietas en dos de sus cuatro arcos.
Los peatones y los ciclistas podrán seguir usando el lado norte.
Se calcula que las obras durarán once meses.
La travesía es gratuita, pero el barquero acepta tomates.
Mucha gente espera que el puente no se acabe nunca.
No hay mejor sitio para hablar que una barca lenta.
Ayer una pareja se prometió entre una orilla y la otra.
El barquero dio la vuelta y los llevó al otro lado otra vez.
Siempre conviene pensárselo dos veces, dijo.
No habían cambiado de opinión.
Y así empezó el verano.
El transbordador, por cierto, se quedó, incluso después de reabrirse el puente.
